import { nameSortKey } from '../../models/catalog/fold-text';
import type { SuggestionQuery } from '../../models/catalog/suggestion';
import type { SearchedRow } from './catalog-rows';
import { bySort, type GivenSynonym, keyOf, scoreOf } from './naive-search';

/** The ids that complete a text by reading every row: contract 5.12 word for word, never fast. */
export function naiveSuggest(
  rows: readonly SearchedRow[],
  { text, words, category, size }: SuggestionQuery,
  synonyms: readonly GivenSynonym[] = [],
): string[] {
  if (words?.length === 0) return [];
  const asked = [...new Set(words ?? [])].length;
  const scoped = rows
    .filter((row) => category === null || row.category === category)
    .map((row) => ({ row, ...scoreOf(row, words ?? [], synonyms) }))
    .filter(({ matched }) => matched === asked)
    .sort((left, right) => bySort('popularity_desc')(left.row, right.row));
  const begins = nameSortKey(text);
  const named = rows
    .filter((row) => category === null || row.category === category)
    .filter((row) => text !== '' && isNode(row) && keyOf(row.name).startsWith(begins))
    .sort(bySort('popularity_desc'));
  const typed = scoped.filter(({ exact, near }) => exact + near === asked).map(({ row }) => row);
  const all = scoped.map(({ row }) => row);
  const last = nameSortKey(words?.at(-1) ?? '');
  const says = ({ name }: SearchedRow) => keyOf(name).includes(last);
  const popular = new Set(rows.filter(isNode).sort(bySort('popularity_desc')).slice(0, 1_000));
  const nodesOf = (matching: readonly SearchedRow[]) => {
    const nodes = matching.filter(isNode);
    const known = nodes.filter((row) => popular.has(row));
    const suggested = known.length >= 50 ? known : nodes;
    return [...suggested.filter(says), ...suggested];
  };
  const productsOf = (matching: readonly SearchedRow[]) => matching.filter((row) => !isNode(row));
  const best = [...named, ...nodesOf(typed), ...productsOf(typed), ...nodesOf(all), ...productsOf(all)];
  return [...new Set(best.map(({ id }) => id))].slice(0, size);
}

const isNode = ({ kind }: SearchedRow): boolean => kind !== 'product';
