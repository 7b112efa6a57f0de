import { nameSortKey } from '../../models/catalog/fold-text';
import type { SuggestionQuery } from '../../models/catalog/suggestion';
import type { SearchedRow } from './catalog-rows';
import { bySort, type GivenSynonym, scoreOf } from './naive-search';

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
    .filter(({ kind, name }) => text !== '' && kind !== 'product' && nameSortKey(name).startsWith(begins))
    .sort(bySort('popularity_desc'));
  const typed = scoped.filter(({ exact, prefix }) => exact + prefix === asked).map(({ row }) => row);
  const all = scoped.map(({ row }) => row);
  const isNode = ({ kind }: SearchedRow) => kind !== 'product';
  const isProduct = (row: SearchedRow) => !isNode(row);
  const last = nameSortKey(words?.at(-1) ?? '');
  const says = (row: SearchedRow) => isNode(row) && nameSortKey(row.name).includes(last);
  const best = [
    ...named,
    ...typed.filter(says),
    ...typed.filter(isNode),
    ...typed.filter(isProduct),
    ...all.filter(says),
    ...all.filter(isNode),
    ...all.filter(isProduct),
  ];
  return [...new Set(best.map(({ id }) => id))].slice(0, size);
}
