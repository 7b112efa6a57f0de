import type { Filter, ResolvedQuery } from '../../../../models/catalog/catalog-query';
import { facetOf } from '../../../../models/catalog/index-terms';
import { restricts } from '../catalog-clauses';
import type { FoundIds, Window } from '../page-of-ids';
import type { TermExpansion } from '../term-expansion';
import { Bitset } from './bitset';
import { categoryTerm, RARE_BEGINNING_MAX } from './chunk-bitmaps';
import { rowsOfSlices } from './ordered-slices';
import { rankedOrdinals, type TermOrdinals, union } from './ranked-ordinals';
import type { IndexTerms, SnapshotReader } from './snapshot-reader';

/**
 * A page of a listing of products, or, with the expansions of a text, of those that match its words, from a snapshot and
 * what has changed since; null when it has to be found without.
 */
export async function searchSnapshot(
  snapshot: SnapshotReader,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
): Promise<FoundIds | null> {
  const words = expansions ?? [];
  const beginnings = new Map(words.flatMap(beginningWanted));
  if ([...beginnings.values()].some(isLong)) return null;
  const carrying = new Map([...scopeTerms(query), ...words.flatMap(expansionTerms)]);
  const sets = await snapshot.sets({ carrying, beginnings });
  const among = scopeOf(query, sets, snapshot.living);
  const { slices, all, wordsMatched } =
    expansions === null
      ? {
          slices: [{ set: among, start: window.after ?? window.offset, limit: window.limit }],
          all: among,
          wordsMatched: 0,
        }
      : rankedOrdinals(
          words.map((word) => ordinalsOf(word, sets)),
          among,
          window,
        );
  const rows = await rowsOfSlices(snapshot, slices, expansions === null ? query.sort : 'popularity_desc');
  const facets = new Map<string, ReadonlyMap<string, number>>();
  for (const { field } of query.facets ?? []) facets.set(field, await snapshot.facetCounts(field, all));
  const ids = rows.slice(0, window.limit).map(({ id }) => id);
  return { ids, total: all.count(), wordsMatched, facets };
}

const SCOPE = 'scope';
const includeName = (at: number): string => `include ${at}`;
const excludeName = (at: number): string => `exclude ${at}`;
const readingName = (word: string): string => `reading ${word}`;
const nameOf = (way: 'exact' | 'longer' | 'misspelt', { word }: TermExpansion): string => `${way} ${word}`;

function scopeTerms({ categories, filters }: ResolvedQuery): [string, IndexTerms][] {
  const facets = (field: string, ids: readonly string[]): IndexTerms => ({
    kind: 'facet',
    terms: [...new Set(ids)].map((id) => facetOf(field, id)),
  });
  return [
    [SCOPE, { kind: 'other', terms: (categories ?? []).map(categoryTerm) }],
    ...filters.flatMap(({ field, include, exclude }, at): [string, IndexTerms][] => [
      [includeName(at), facets(field, include)],
      [excludeName(at), facets(field, exclude)],
    ]),
  ];
}

type Sets = ReadonlyMap<string, Bitset>;

function scopeOf({ categories, filters }: ResolvedQuery, sets: Sets, living: Bitset): Bitset {
  const nothing = Bitset.empty(living.size);
  const whole = categories === null ? living : living.and(sets.get(SCOPE) ?? nothing);
  return filters.reduce((left: Bitset, filter: Filter, at) => {
    if (!restricts(filter)) return left;
    const included = filter.include.length > 0 ? left.and(sets.get(includeName(at)) ?? nothing) : left;
    return included.without(sets.get(excludeName(at)) ?? nothing);
  }, whole);
}

const ordinalsOf = (expansion: TermExpansion, sets: Sets): TermOrdinals => ({
  exact: union([
    sets.get(nameOf('exact', expansion)) ?? null,
    ...expansion.synonyms.map((reading) => intersection(reading.map((word) => sets.get(readingName(word))))),
  ]),
  longer: sets.get(nameOf('longer', expansion)) ?? null,
  misspelt: sets.get(nameOf('misspelt', expansion)) ?? null,
});

/** What all of the sets have; null where one of them has nothing. */
const intersection = (sets: readonly (Bitset | undefined)[]): Bitset | null =>
  sets.reduce<Bitset | null | undefined>(
    (all, set) => (all === undefined ? set : all && set ? all.and(set) : null),
    undefined,
  ) ?? null;

/** Of rare words only the short beginnings have a term. */
const isLong = (beginning: string): boolean => Array.from(beginning).length > RARE_BEGINNING_MAX;

const beginningWanted = (expansion: TermExpansion): [string, string][] =>
  expansion.anyLonger && expansion.beginning !== null
    ? [[nameOf('longer', expansion), expansion.beginning]]
    : [];

function expansionTerms(expansion: TermExpansion): [string, IndexTerms][] {
  return [
    [nameOf('exact', expansion), { kind: 'word', terms: [expansion.word] }],
    [nameOf('longer', expansion), { kind: 'word', terms: expansion.longer }],
    [nameOf('misspelt', expansion), { kind: 'word', terms: expansion.misspelt }],
    ...expansion.synonyms
      .flat()
      .map((word): [string, IndexTerms] => [readingName(word), { kind: 'word', terms: [word] }]),
  ];
}
