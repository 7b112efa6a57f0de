import type { Filter, ResolvedQuery } from '../../../../models/catalog/catalog-query';
import { restricts } from '../catalog-clauses';
import type { FoundPage, Window } from '../page-of-ids';
import type { TermExpansion } from '../term-expansion';
import { Bitset } from './bitset';
import { OrderedMembers } from './ordered-members';
import { rankedOrdinals, type SlicedAnswer, type TermOrdinals, union } from './ranked-ordinals';
import type { SnapshotReader } from './snapshot-reader';
import { excludeName, includeName, readingName, SCOPE, wayName } from './wanted-sets';

/**
 * A page of a listing of products, or, with the expansions of a text, of those that match its words, from a snapshot and
 * what has changed since. `snapshot` has the sets that the query wants.
 */
export async function searchSnapshot(
  snapshot: SnapshotReader,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
): Promise<FoundPage> {
  const { sets, living, changes } = snapshot;
  const among = scopeOf(query, sets, living);
  const { slices, all, wordsMatched } =
    expansions === null
      ? listing(among, window)
      : rankedOrdinals(
          expansions.map((each) => ordinalsOf(each, sets)),
          among,
          window,
        );
  const order = await snapshot.order(expansions === null ? query.sort : 'popularity_desc');
  const ordinals: number[] = [];
  for (const { set, start, limit } of slices) {
    const members = new OrderedMembers(set, order, changes.products);
    if (typeof start === 'number') members.skip(start);
    else members.skipTo(start, await snapshot.placeOf(start, order));
    ordinals.push(...members.take(limit));
  }
  const facets = new Map<string, ReadonlyMap<string, number>>();
  for (const { field } of query.facets ?? []) facets.set(field, await snapshot.facetCounts(field, all));
  const rows = ordinals.slice(0, window.limit).map((ordinal) => changes.rowAt(ordinal)?.id ?? ordinal);
  return { rows, total: all.count(), wordsMatched, facets };
}

const listing = (among: Bitset, { after, offset, limit }: Window): SlicedAnswer => ({
  slices: [{ set: among, start: after ?? offset, limit }],
  all: among,
  wordsMatched: 0,
});

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
    sets.get(wayName('exact', expansion)) ?? null,
    ...expansion.synonyms.map((reading) => intersection(reading.map((word) => sets.get(readingName(word))))),
  ]),
  longer: sets.get(wayName('longer', expansion)) ?? null,
  misspelt: sets.get(wayName('misspelt', expansion)) ?? null,
});

/** What all of the sets have; null where one of them has nothing. */
const intersection = ([first, ...others]: readonly (Bitset | undefined)[]): Bitset | null =>
  others.reduce((all: Bitset | null, set) => (all && set ? all.and(set) : null), first ?? null);
