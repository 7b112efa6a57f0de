import * as queries from '../../models/catalog/catalog-query';
import { nameSortKey } from '../../models/catalog/fold-text';
import type { SuggestionQuery } from '../../models/ports';
import type { SearchedRow } from './catalog-rows';

export type GivenSynonym =
  | { readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly words: readonly string[] };

/** The answer to a query by reading every row: contract 5, 4.3, 9.8 word for word, never fast. */
export function naiveSearch(
  rows: readonly SearchedRow[],
  query: queries.ResolvedQuery,
  synonyms: readonly GivenSynonym[] = [],
) {
  const hidden = query.sandbox ? outsideSandbox(rows) : null;
  const scoped = rows
    .filter((row) => row.kind === query.node && !hidden?.has(row))
    .filter((row) => query.categories === null || query.categories.includes(row.category))
    .filter((row) => query.filters.every((filter) => passes(row, filter)));
  const { words } = query;
  const ordered =
    words === null
      ? scoped.sort(bySort(query.sort)).map((row) => ({ row, matched: 0 }))
      : scored(scoped, words, synonyms)
          .filter(({ matched }) => matched >= (query.match === 'all' ? new Set(words).size || 1 : 1))
          .sort(
            (left, right) =>
              right.matched - left.matched ||
              right.exact - left.exact ||
              right.near - left.near ||
              bySort('popularity_desc')(left.row, right.row),
          );
  const from = query.page * query.pageSize;
  const ids = ordered.slice(from, from + query.pageSize).map(({ row }) => row.id);
  // A page without rows is free, and has no counts (contract 4.15).
  const counted = ids.length === 0 ? [] : ordered.map(({ row }) => row);
  return {
    ids,
    total: ordered.length,
    wordsMatched: ordered[0]?.matched ?? 0,
    ...(query.facets && {
      facets: new Map(query.facets.map((asked) => [asked.field, naiveFacet(counted, asked)])),
    }),
  };
}

/** Products of which more popular ones fill the sandbox of their category. */
function outsideSandbox(rows: readonly SearchedRow[]): ReadonlySet<SearchedRow> {
  const products = popularFirst(rows).filter(({ kind }) => kind === 'product');
  const before = new Map<string, number>();
  return new Set(
    products.filter(({ category }) => {
      const place = before.get(category) ?? 0;
      before.set(category, place + 1);
      return place >= queries.SANDBOX_PRODUCTS;
    }),
  );
}

/** Values whose names are their ids (contract 4.15, 4.16). */
function naiveFacet(rows: readonly SearchedRow[], { field, limit, words }: queries.FacetQuery) {
  const ids = rows.flatMap(({ facets }) => facets.filter((facet) => facet.startsWith(`${field}:`)));
  const counts = new Map<string, number>();
  for (const facet of ids) counts.set(facet, (counts.get(facet) ?? 0) + 1);
  return Array.from(counts, ([facet, count]) => ({ id: facet.slice(field.length + 1), count }))
    .map(({ id, count }) => ({ id, name: id, count }))
    .filter(({ name }) => {
      const own = name.split('_');
      if (words === null) return true;
      const has = (word: string, at: number) =>
        own.some((each) => each === word || (at === words.length - 1 && each.startsWith(word)));
      return words.length > 0 && words.every(has);
    })
    .sort((left, right) => right.count - left.count || compare(left.id, right.id))
    .slice(0, limit);
}

function passes(row: SearchedRow, { field, include, exclude }: queries.Filter): boolean {
  const has = (id: string) => row.facets.includes(`${field}:${id}`);
  return (include.length === 0 || include.some(has)) && !exclude.some(has);
}

function bySort(sort: queries.ResolvedQuery['sort']) {
  const sign = sort.endsWith('_desc') ? -1 : 1;
  return (left: SearchedRow, right: SearchedRow): number => {
    const order = sort.startsWith('popularity')
      ? left.popularity - right.popularity
      : compare(keyOf(left.name), keyOf(right.name));
    return order === 0 ? compare(left.id, right.id) : sign * order;
  };
}

const compare = (left: string, right: string): number => Buffer.compare(bytesOf(left), bytesOf(right));

function remembered<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = work(key);
    values.set(key, value);
    return value;
  };
}

const bytesOf = remembered((text: string) => Buffer.from(text));
const keyOf = remembered(nameSortKey);
const popularFirst = remembered((rows: readonly SearchedRow[]) => rows.toSorted(bySort('popularity_desc')));

/** How many words each row matches, and how many of them exactly and less exactly. */
function scored(rows: readonly SearchedRow[], words: readonly string[], synonyms: readonly GivenSynonym[]) {
  const asked = Array.from(new Set(words), (word) => ({
    word,
    readings: [word, ...readingsOf(word, words, synonyms)].map((reading) => reading.split(' ')),
    forms: otherForms(word, words),
    isPartOf: isPartOf(word),
    isMisspelt: isMisspelt(word),
    isLast: word === words.at(-1),
  }));
  return rows.map((row) => {
    const own = ownTerms(row);
    const score = { row, matched: 0, exact: 0, near: 0 };
    for (const { word, readings, forms, isPartOf, isMisspelt, isLast } of asked) {
      if (readings.some((reading) => reading.every((term) => own.words.has(term)))) score.exact++;
      else if (
        own.terms.some((term) => (isLast && term.startsWith(word)) || isPartOf(term)) ||
        isWrittenOtherwise(own, word, forms, isLast)
      ) {
        score.near++;
      } else if (!own.terms.some((term) => isMisspelt(term) || term === forms.numberBegun)) continue;
      score.matched++;
    }
    return score;
  });
}

interface OwnTerms {
  readonly words: ReadonlySet<string>;
  /** The words in a list. */
  readonly terms: readonly string[];
  /** What is written without the signs that separate it in the row. */
  readonly references: ReadonlySet<string>;
}

const ownTerms = remembered((row: SearchedRow): OwnTerms => {
  const [words, references] = [new Set<string>(), new Set<string>()];
  for (const text of row.words) {
    const parts = text.split(/[- .]/);
    for (const part of parts) {
      words.add(part);
      const number = /^\p{L}+(\d{5,}.*)$/u.exec(part)?.[1];
      if (number !== undefined) references.add(number);
    }
    for (let from = 0; from < parts.length; from++) {
      for (let to = from + 2; to <= parts.length; to++) {
        const joined = parts.slice(from, to).join('');
        if (/\d/.test(joined)) references.add(joined);
      }
    }
  }
  return { words, terms: [...words], references };
});

/** contract 5.16, 5.17 */
function isWrittenOtherwise(
  { words: own, references }: OwnTerms,
  word: string,
  forms: ReturnType<typeof otherForms>,
  isLast: boolean,
) {
  const { joined, number, parted } = forms;
  const begins = (term: string) => term.startsWith(word);
  const isNumber = /^\d{5,}$/.test(word);
  const isBegun = isLast && word.length >= 4 && /\d/.test(word);
  return (
    joined.some((each) => (each !== word && own.has(each)) || (/\d/.test(each) && references.has(each))) ||
    (number !== undefined && (own.has(number) || (/\D/.test(number) && references.has(number)))) ||
    (isNumber && [...own, ...references].some(begins)) ||
    (isBegun && [...references].some(begins)) ||
    parted.some((parts) => parts.every((part) => own.has(part)))
  );
}

/** A word with its neighbours in a query as one word, its number, and the words that it may be. */
function otherForms(word: string, words: readonly string[]) {
  const runs = words.flatMap((_, from) => [1, 2, 3, 4, 5, 6].map((count) => words.slice(from, from + count)));
  const joined = runs
    .filter((run) => run.includes(word) && (run.length <= 3 || /\d/.test(run.join(''))))
    .map((run) => run.join(''));
  return {
    joined: [...new Set(joined)],
    number: /^\p{L}+(\d{5,}.*)$/u.exec(word)?.[1],
    /** The long number that it begins with or has in its middle, before other letters. */
    numberBegun: /\d{5,}(?=\D)/.exec(word)?.[0],
    parted: partings(word),
  };
}

function partings(word: string): string[][] {
  if (UNSPACED.test(word)) return [];
  const letters = lettersOf(word);
  const halves = letters.map((_, at) => [letters.slice(0, at).join(''), letters.slice(at).join('')]);
  if (/\d/.test(word)) {
    return halves.filter(([left = '', right = '']) => left !== '' && /\d$/.test(left) !== /^\d/.test(right));
  }
  if (letters.length < 5 || letters.length > 30) return [];
  const thirds = letters.flatMap((_, to) =>
    letters.map((__, from) => [letters.slice(0, from), letters.slice(from, to), letters.slice(to)]),
  );
  const long = letters.length < 7 ? [] : thirds.map((all) => all.map((part) => part.join('')));
  return [...halves, ...long].filter((parts) => parts.every((part) => lettersOf(part).length >= 2));
}

/** contract 5.9, 5.10 */
function readingsOf(word: string, words: readonly string[], synonyms: readonly GivenSynonym[]): string[] {
  const query = ` ${words.join(' ')} `;
  return synonyms.flatMap((synonym) => {
    const [from, to] = 'words' in synonym ? [synonym.words, synonym.words] : [synonym.from, synonym.to];
    const read = from.some((phrase) => phrase.split(' ').includes(word) && query.includes(` ${phrase} `));
    return read ? to : [];
  });
}

const UNSPACED = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]+$/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const lettersOf = remembered((word: string): readonly string[] =>
  Array.from(segmenter.segment(word), ({ segment }) => segment),
);

/** Han, kana and Thai are found by two or more of their letters in a row, from any letter on. */
const isPartOf = remembered((word: string) => {
  const isLong = UNSPACED.test(word) && lettersOf(word).length >= 2;
  const begins = (letters: readonly string[], from: number) => letters.slice(from).join('').startsWith(word);
  return remembered(
    (known: string) => isLong && lettersOf(known).some((_, from, letters) => begins(letters, from)),
  );
});

const isMisspelt = remembered((word: string) => {
  const letters = lettersOf(word);
  const editsMax = letters.length < 4 ? 0 : letters.length < 8 ? 1 : 2;
  return remembered((meant: string) => isWithin(letters, lettersOf(meant), editsMax));
});

/** Whether so many insertions, deletions, replacements and swaps of neighbours make one of the other. */
function isWithin(from: readonly string[], to: readonly string[], edits: number): boolean {
  if (Math.abs(from.length - to.length) > edits) return false;
  if (from.length === 0 || to.length === 0) return from.length + to.length <= edits;
  const [fromRest, toRest, left] = [from.slice(1), to.slice(1), edits - 1];
  if (from[0] === to[0]) return isWithin(fromRest, toRest, edits);
  const isSwapped = from[0] === to[1] && from[1] === to[0];
  return (
    isWithin(fromRest, toRest, left) ||
    isWithin(fromRest, to, left) ||
    isWithin(from, toRest, left) ||
    (isSwapped && isWithin(from.slice(2), to.slice(2), left))
  );
}

/** The ids that complete a text by reading every row: contract 5.12 word for word, never fast. */
export function naiveSuggest(
  rows: readonly SearchedRow[],
  { text, words, category, size }: SuggestionQuery,
  synonyms: readonly GivenSynonym[] = [],
): string[] {
  if (words?.length === 0) return [];
  const asked = [...new Set(words ?? [])].length;
  const inCategory = popularFirst(rows).filter((row) => category === null || row.category === category);
  const scoped = scored(inCategory, words ?? [], synonyms).filter(({ matched }) => matched === asked);
  const begins = nameSortKey(text);
  const named = inCategory.filter((row) => text !== '' && isNode(row) && keyOf(row.name).startsWith(begins));
  const typed = scoped.filter(({ exact, near }) => exact + near === asked).map(({ row }) => row);
  const all = scoped.map(({ row }) => row);
  const last = nameSortKey(words?.at(-1) ?? '');
  const says = ({ name }: SearchedRow) => keyOf(name).includes(last);
  const popular = new Set(popularFirst(rows).filter(isNode).slice(0, 1_000));
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
