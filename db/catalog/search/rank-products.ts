import type { Knex } from 'knex';
import type { Filter, ResolvedQuery, RowPosition } from '../../../models/catalog/catalog-query';
import { facetOf } from '../../../models/catalog/index-terms';
import { addTo } from '../../../models/multimap';
import { Bitset } from './bitset';
import { restricts } from './catalog-clauses';
import type { PostingRequest } from './changed-products';
import type { FoundPage, RankOrder, Window } from './scored-rows';
import type { SnapshotView } from './snapshot-cache';
import { BEGINNING_MAX, beginningTerm, categoryTerm } from './snapshot-chunks';
import type { TermExpansion } from './term-expansion';

const SCOPE = 'scope';
const includeName = (at: number): string => `include ${at}`;
const excludeName = (at: number): string => `exclude ${at}`;
const readingName = (word: string): string => `reading ${word}`;
const setName = (kind: 'exact' | 'near' | 'misspelt', { word }: TermExpansion): string => `${kind} ${word}`;

/** The sets of products that a query is answered from, by the terms of their members; null for rows that are not in a snapshot. */
export function postingRequests(
  { node, sandbox, categories, filters }: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
): PostingRequest[] | null {
  if (node !== 'product' || sandbox) return null;
  const facets = (name: string, field: string, ids: readonly string[]) =>
    Array.from(new Set(ids), (id): PostingRequest => ({ name, kind: 'facet', term: facetOf(field, id) }));
  return [
    ...(categories ?? []).map(
      (id): PostingRequest => ({ name: SCOPE, kind: 'bitmap', term: categoryTerm(id) }),
    ),
    ...filters.flatMap(({ field, include, exclude }, at) => [
      ...facets(includeName(at), field, include),
      ...facets(excludeName(at), field, exclude),
    ]),
    ...(expansions ?? []).flatMap(expansionTerms),
  ];
}

function expansionTerms(expansion: TermExpansion): PostingRequest[] {
  const { exact, near, beginnings, misspelt } = expansion;
  const nearName = setName('near', expansion);
  const word = (name: string, term: string): PostingRequest => ({ name, kind: 'word', term });
  const readings = (name: string, all: TermExpansion['exact']) =>
    all.flatMap((reading) =>
      reading.map((each) => word(reading.length === 1 ? name : readingName(each), each)),
    );
  return [
    ...readings(setName('exact', expansion), exact),
    ...readings(nearName, near),
    ...misspelt.map((each) => word(setName('misspelt', expansion), each)),
    ...beginnings.map(
      (term): PostingRequest =>
        Array.from(term).length > BEGINNING_MAX
          ? { name: nearName, kind: 'prefix', term }
          : { name: nearName, kind: 'bitmap', term: beginningTerm(term) },
    ),
  ];
}

/** A page of a listing of products or, with expansions, of those that match, from a view that has the sets of the query. */
export async function rankProducts(
  knex: Knex,
  { snapshot, sets, live }: SnapshotView,
  query: ResolvedQuery,
  expansions: readonly TermExpansion[] | null,
  { after, offset, limit }: Window,
  order: RankOrder = 'relevance',
): Promise<FoundPage> {
  const among = scopeOf(query, sets, live);
  const terms = expansions?.map((each) => ordinalsOf(each, sets)) ?? [];
  const isRanked = expansions !== null && order === 'relevance';
  const any = terms.map((ordinals) => ordinals.any);
  const matching = isRanked && query.match !== 'all' ? union(any) : intersection(any);
  const all = expansions === null ? among : among.and(matching ?? Bitset.empty(among.size));
  const total = all.count();
  const products = await snapshot.order(knex, expansions === null ? query.sort : 'popularity_desc');
  const rows: RowPosition[] = [];
  let wordsMatched = 0;
  let passed = 0;
  const tallies = (isRanked ? (['any', 'exact', 'near'] as const) : []).map(
    (kind) => new Tally(terms.map((ordinals) => ordinals[kind])),
  );
  for (const { set, count, rank } of tiers({ set: all, count: total, rank: [] }, tallies)) {
    wordsMatched ||= rank[0] ?? 0;
    const isBehind = after ? compareRanks(rank, after.rank) : 1;
    if (isBehind < 0) continue;
    const from = after && isBehind === 0 ? after : Math.max(0, offset - passed);
    passed += count;
    const left = typeof from === 'number' ? count - from : count;
    if (left <= 0) continue;
    for (const ordinal of products.members(set, from, Math.min(left, limit - rows.length))) {
      rows.push({ rank, ...products.keyOf(ordinal) });
    }
    if (rows.length >= limit) break;
  }
  const facets = new Map<string, ReadonlyMap<string, number>>();
  for (const { field } of query.facets ?? []) facets.set(field, await snapshot.facetCounts(knex, field, all));
  return { rows, total, wordsMatched, facets };
}

function scopeOf({ categories, filters }: ResolvedQuery, sets: Sets, live: Bitset): Bitset {
  const setOf = (name: string) => sets.get(name) ?? Bitset.empty(live.size);
  const whole = categories === null ? live : live.and(setOf(SCOPE));
  return filters.reduce((left: Bitset, filter: Filter, at) => {
    if (!restricts(filter)) return left;
    const included = filter.include.length > 0 ? left.and(setOf(includeName(at))) : left;
    return filter.exclude.length > 0 ? included.copy().keep(setOf(excludeName(at)), true) : included;
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
  const readings = (kind: 'exact' | 'near') =>
    union([
      sets.get(setName(kind, expansion)) ?? null,
      ...expansion[kind]
        .filter(({ length }) => length > 1)
        .map((reading) => intersection(reading.map((word) => sets.get(readingName(word))))),
    ]);
  const [exact, near] = [readings('exact'), readings('near')];
  return {
    any: union([exact, near, sets.get(setName('misspelt', expansion)) ?? null]),
    exact,
    near: exact && near ? near.copy().keep(exact, true) : near,
  };
}

/** Products that rank equally: by the words that they match, exactly match and nearly match (contract 5.4). */
interface Tier {
  readonly set: Bitset;
  readonly count: number;
  readonly rank: readonly number[];
}

/** Up to this many products are ranked one by one. */
const FEW = 5_000;
/** More than a text has words. */
const RANK_BASE = 1_024;

/** The non-empty tiers within one, best first, computed lazily. */
function* tiers(tier: Tier, tallies: readonly Tally[]): Generator<Tier> {
  const [tally, ...further] = tallies;
  if (!tally) return yield tier;
  if (tier.count <= FEW) return yield* tiersOfFew(tier, tallies);
  for (const within of tally.split(tier)) yield* tiers(within, further);
}

function* tiersOfFew({ set, rank }: Tier, tallies: readonly Tally[]): Generator<Tier> {
  const byRank = new Map<number, number[]>();
  set.forEach((ordinal) => {
    const sum = tallies.reduce((left, tally) => left * RANK_BASE + tally.countOf(ordinal), 0);
    addTo(byRank, sum, ordinal);
  });
  for (const [sum, ordinals] of [...byRank].sort(([left], [right]) => right - left)) {
    const own = tallies.map((_, at) => Math.floor(sum / RANK_BASE ** (tallies.length - 1 - at)) % RANK_BASE);
    yield { set: Bitset.of(set.size, ordinals), count: ordinals.length, rank: [...rank, ...own] };
  }
}

/** Negative when the first is better. */
function compareRanks(left: readonly number[], right: readonly number[]): number {
  const differs = left.findIndex((number, at) => number !== right[at]);
  return differs === -1 ? 0 : (right[differs] ?? 0) - (left[differs] ?? 0);
}

/** Sets, by how many of which contain an ordinal products rank. */
class Tally {
  readonly #sets: readonly Bitset[];
  /** The number of sets that contain an ordinal, for all in binary: one set per digit, the lowest first. */
  #digits: readonly Bitset[] | null = null;

  constructor(sets: readonly (Bitset | null)[]) {
    this.#sets = sets.filter((set) => set !== null);
  }

  countOf(ordinal: number): number {
    return this.#sets.reduce((sum, set) => sum + Number(set.has(ordinal)), 0);
  }

  /** The parts of a tier whose ordinals are in as many of the sets, in most first. */
  *split({ set, count, rank }: Tier): Generator<Tier> {
    const most = this.#sets.length;
    if (most === 0) return yield { set, count, rank: [...rank, 0] };
    let left = count;
    for (let number = most; number >= 0 && left > 0; number--) {
      const part = this.#exactly(number, set);
      const size = part.count();
      left -= size;
      if (size > 0) yield { set: part, count: size, rank: [...rank, number] };
    }
  }

  #exactly(number: number, among: Bitset): Bitset {
    if (number === this.#sets.length) return this.#sets.reduce((left, set) => left.keep(set), among.copy());
    this.#digits ??= binaryDigits(this.#sets);
    if (number >= 2 ** this.#digits.length) return Bitset.empty(among.size);
    return this.#digits.reduce(
      (left, digit, at) => left.keep(digit, ((number >>> at) & 1) === 0),
      among.copy(),
    );
  }
}

function binaryDigits(sets: readonly Bitset[]): Bitset[] {
  const digits: Bitset[] = [];
  for (const set of sets) {
    const carries = set.copy();
    if (digits.every((digit) => digit.addBits(carries))) digits.push(carries);
  }
  return digits;
}

function union(sets: readonly (Bitset | null)[]): Bitset | null {
  const [first = null, ...others] = sets.filter((set) => set !== null);
  if (first === null || others.length === 0) return first;
  const all = first.copy();
  for (const set of others) all.addAll(set);
  return all;
}

/** The intersection of the sets; null where one of them has nothing. */
const intersection = ([first, ...others]: readonly (Bitset | null | undefined)[]): Bitset | null =>
  others.reduce((all: Bitset | null, set) => (all && set ? all.and(set) : null), first ?? null);
