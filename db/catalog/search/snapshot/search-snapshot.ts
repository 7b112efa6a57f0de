import type { Filter, ResolvedQuery, RowPosition } from '../../../../models/catalog/catalog-query';
import { facetOf } from '../../../../models/catalog/index-terms';
import { restricts } from '../catalog-clauses';
import type { FoundPage, Window } from '../found-page';
import type { TermExpansion } from '../term-expansion';
import { Bitset } from './bitset';
import type { WantedTerm } from './changed-products';
import { categoryTerm, RARE_BEGINNING_MAX, rareBeginningTerm } from './chunks';
import type { SnapshotReader } from './open-snapshot';
import { OrderedMembers, type Slice } from './snapshot-order';

const SCOPE = 'scope';
const includeName = (at: number): string => `include ${at}`;
const excludeName = (at: number): string => `exclude ${at}`;
const readingName = (word: string): string => `reading ${word}`;
const wayName = (way: 'exact' | 'near' | 'misspelt', { word }: TermExpansion): string => `${way} ${word}`;

/** The sets of products that a query is answered from, by the terms of their members; null for rows that are not in a snapshot. */
export function wantedSets(
  { node, sandbox, categories, filters }: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
): WantedTerm[] | null {
  if (node !== 'product' || sandbox) return null;
  const facets = (name: string, field: string, ids: readonly string[]) =>
    Array.from(new Set(ids), (id): WantedTerm => ({ name, kind: 'facet', term: facetOf(field, id) }));
  return [
    ...(categories ?? []).map((id): WantedTerm => ({ name: SCOPE, kind: 'other', term: categoryTerm(id) })),
    ...filters.flatMap(({ field, include, exclude }, at) => [
      ...facets(includeName(at), field, include),
      ...facets(excludeName(at), field, exclude),
    ]),
    ...(expansions ?? []).flatMap(expansionTerms),
  ];
}

function expansionTerms(expansion: TermExpansion): WantedTerm[] {
  const { exact, near, beginnings, misspelt } = expansion;
  const nearName = wayName('near', expansion);
  const word = (name: string, term: string): WantedTerm => ({ name, kind: 'word', term });
  const readings = (name: string, all: TermExpansion['exact']) =>
    all.flatMap((reading) =>
      reading.map((each) => word(reading.length === 1 ? name : readingName(each), each)),
    );
  return [
    ...readings(wayName('exact', expansion), exact),
    ...readings(nearName, near),
    ...misspelt.map((each) => word(wayName('misspelt', expansion), each)),
    ...beginnings.flatMap((term): WantedTerm[] =>
      Array.from(term).length > RARE_BEGINNING_MAX
        ? [{ name: nearName, kind: 'prefix', term }]
        : [
            { name: nearName, kind: 'beginning', term },
            { name: nearName, kind: 'other', term: rareBeginningTerm(term) },
          ],
    ),
  ];
}

/**
 * A page of a listing of products, or, with the expansions of a text, of those that match its words, from a snapshot and
 * what has changed since.
 *
 * @param snapshot has the sets that the query wants
 * @param order of a text: by relevance, or the products that match all words by popularity alone
 */
export async function searchSnapshot(
  snapshot: SnapshotReader,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  window: Window,
  order: 'relevance' | 'popularity' = 'relevance',
): Promise<FoundPage> {
  const { sets, living, changes } = snapshot;
  const among = scopeOf(query, sets, living);
  const terms = expansions?.map((each) => ordinalsOf(each, sets)) ?? [];
  const { slices, all, wordsMatched } =
    expansions !== null && order === 'relevance'
      ? ranked(terms, among, window, query.match === 'all' ? terms.length : 1)
      : listing(
          terms.reduce((left, { any }) => left.and(any ?? Bitset.empty(left.size)), among),
          window,
        );
  const products = await snapshot.order(expansions === null ? query.sort : 'popularity_desc');
  const ordinals: number[] = [];
  for (const { set, start, limit } of slices) {
    const members = new OrderedMembers(set, products, changes.products);
    if (typeof start === 'number') members.skip(start);
    else members.skipTo(start, await snapshot.placeOf(start, products));
    ordinals.push(...members.take(limit));
  }
  const facets = new Map<string, ReadonlyMap<string, number>>();
  for (const { field } of query.facets ?? []) facets.set(field, await snapshot.facetCounts(field, all));
  const rows = ordinals.slice(0, window.limit).map((ordinal) => changes.rowAt(ordinal)?.id ?? ordinal);
  return { rows, total: all.count(), wordsMatched, facets };
}

function scopeOf({ categories, filters }: ResolvedQuery, sets: Sets, living: Bitset): Bitset {
  const nothing = Bitset.empty(living.size);
  const whole = categories === null ? living : living.and(sets.get(SCOPE) ?? nothing);
  return filters.reduce((left: Bitset, filter: Filter, at) => {
    if (!restricts(filter)) return left;
    const included = filter.include.length > 0 ? left.and(sets.get(includeName(at)) ?? nothing) : left;
    return included.without(sets.get(excludeName(at)) ?? nothing);
  }, whole);
}

type Sets = ReadonlyMap<string, Bitset>;

/** The ordinals that match a word of a query: in any way, exactly, and nearly but not exactly; null where none does. */
interface TermOrdinals {
  readonly any: Bitset | null;
  readonly exact: Bitset | null;
  readonly near: Bitset | null;
}

function ordinalsOf(expansion: TermExpansion, sets: Sets): TermOrdinals {
  const readings = (way: 'exact' | 'near') =>
    union([
      sets.get(wayName(way, expansion)) ?? null,
      ...expansion[way]
        .filter(({ length }) => length > 1)
        .map((reading) => intersection(reading.map((word) => sets.get(readingName(word))))),
    ]);
  const [exact, near] = [readings('exact'), readings('near')];
  return {
    any: union([exact, near, sets.get(wayName('misspelt', expansion)) ?? null]),
    exact,
    near: exact && near ? near.without(exact) : near,
  };
}

/** What all of the sets have; null where one of them has nothing. */
const intersection = ([first, ...others]: readonly (Bitset | undefined)[]): Bitset | null =>
  others.reduce((all: Bitset | null, set) => (all && set ? all.and(set) : null), first ?? null);

/** A window of an answer, and what is told of all of it. */
interface SlicedAnswer {
  /** Members of a slice rank equally. */
  readonly slices: readonly Slice[];
  readonly all: Bitset;
  /** Words matched by the best ordinal of all. */
  readonly wordsMatched: number;
}

const listing = (among: Bitset, { after, offset, limit }: Window): SlicedAnswer => ({
  slices: [{ set: among, start: after ?? offset, limit }],
  all: among,
  wordsMatched: 0,
});

/**
 * A window of the ordinals that match at least so many of the terms, ranked as contract 5.4 says: words matched, then those
 * matched exactly, then those matched nearly.
 */
function ranked(terms: readonly TermOrdinals[], among: Bitset, window: Window, least: number): SlicedAnswer {
  const matched = Tally.of(terms.map(({ any }) => any));
  const exact = Tally.of(terms.map((term) => term.exact));
  const near = Tally.of(terms.map((term) => term.near));
  const all = matched.atLeast(least, among);
  const page = new Page(window);
  let wordsMatched = 0;
  for (let number = matched.most; number >= 1; number--) {
    if (page.isFull && wordsMatched > 0) break;
    const tier = matched.exactly(number, all);
    const count = tier.count();
    if (wordsMatched === 0 && count > 0) wordsMatched = number;
    if (!page.skips(count)) page.take(tier, count, [number], [exact, near]);
  }
  return { slices: page.slices, all, wordsMatched };
}

/** The slices of a window, filled from tiers that come best first. */
class Page {
  readonly slices: Slice[] = [];
  private offset: number;
  private left: number;
  private readonly after: RowPosition | null;

  constructor({ offset, limit, after = null }: Window) {
    this.offset = offset;
    this.left = limit;
    this.after = after;
  }

  get isFull(): boolean {
    return this.left <= 0;
  }

  /** Whether a tier of so many ordinals lies before the window, which is then nearer by them. */
  skips(count: number): boolean {
    if (count > this.offset) return false;
    this.offset -= count;
    return true;
  }

  /** Takes what the window wants of a tier of so many ordinals, whose rank is known that far, by falling tallies. */
  take(tier: Bitset, count: number, rank: readonly number[], [tally, ...further]: readonly Tally[]): void {
    const begins = this.beginsWithin(rank);
    if (begins === 'later') return;
    if (!tally) {
      const isCut = this.after !== null && begins === 'here';
      const limit = Math.min(this.left, count - this.offset);
      this.slices.push({ set: tier, start: isCut && this.after ? this.after : this.offset, limit });
      this.offset = 0;
      // How many of them are behind the row is not known yet.
      if (!isCut) this.left -= limit;
      return;
    }
    for (let number = tally.most; number >= 0 && !this.isFull; number--) {
      const inner = tally.exactly(number, tier);
      const innerCount = inner.count();
      if (innerCount > 0 && !this.skips(innerCount)) this.take(inner, innerCount, [...rank, number], further);
    }
  }

  /** Whether the row behind which the window begins ranks so, better or worse. */
  private beginsWithin(rank: readonly number[]): 'here' | 'later' | 'earlier' {
    const differs = rank.findIndex((number, at) => number !== this.after?.rank[at]);
    if (!this.after || differs === -1) return 'here';
    return (rank[differs] ?? 0) > (this.after.rank[differs] ?? 0) ? 'later' : 'earlier';
  }
}

/** For every ordinal in how many of some sets it is, as binary digits, the lowest first: one set for each digit. */
class Tally {
  private constructor(
    private readonly digits: readonly Bitset[],
    /** In no more than so many. */
    readonly most: number,
  ) {}

  static of(sets: readonly (Bitset | null)[]): Tally {
    const given = sets.filter((set) => set !== null);
    const digits: Bitset[] = [];
    for (const set of given) {
      let carry = set;
      for (let at = 0; at <= digits.length; at++) {
        const digit = digits[at];
        if (!digit) {
          // Nothing can be carried beyond the digits of the number of sets.
          if (2 ** at <= given.length) digits.push(carry);
          break;
        }
        digits[at] = digit.xor(carry);
        carry = digit.and(carry);
      }
    }
    return new Tally(digits, given.length);
  }

  /** The ordinals of `among` that are in at least so many sets: in one, or in all that there may be. */
  atLeast(number: number, among: Bitset): Bitset {
    if (number > this.most) return Bitset.empty(among.size);
    return number > 1
      ? this.exactly(number, among)
      : (union(this.digits) ?? Bitset.empty(among.size)).and(among);
  }

  /** The ordinals of `among` that are in so many sets. */
  exactly(number: number, among: Bitset): Bitset {
    return this.digits.reduce(
      (left, digit, at) => ((number >>> at) & 1 ? left.and(digit) : left.without(digit)),
      among,
    );
  }
}

/** What any of the sets has; null where none is. */
function union(sets: readonly (Bitset | null)[]): Bitset | null {
  return sets.reduce((all, set) => (all && set ? all.or(set) : (all ?? set)), null);
}
