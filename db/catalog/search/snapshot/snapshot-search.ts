import type { Knex } from 'knex';
import type { Filter, ResolvedQuery, Sort } from '../../../../models/catalog/catalog-query';
import { facetOf } from '../../../../models/catalog/index-terms';
import { restricts } from '../catalog-clauses';
import type { FoundIds, Window } from '../page-of-ids';
import type { TermExpansion } from '../term-expansion';
import { Bitset } from './bitset';
import { categoryTerm, RARE_BEGINNING_MAX } from './chunk-bitmaps';
import { type RankedOrdinals, rankedOrdinals, type TermOrdinals, union } from './ranked-ordinals';
import { type IndexTerms, SnapshotReader } from './snapshot-reader';

/** Kind of the rows that snapshots are about. */
const PRODUCT = 'product';

/**
 * Answers queries for products from the snapshot of the catalog, where there is one and nothing has changed since.
 * What it keeps between queries are orders of the newest snapshot, four bytes a product each.
 */
export class SnapshotSearch {
  private orders: { readonly snapshot: number; readonly bySort: Map<Sort, Uint32Array> } | null = null;

  /**
   * A page of a listing, or, with the expansions of a text, of the products that match its words; null when it has to
   * be found without a snapshot.
   */
  async search(
    knex: Knex,
    query: ResolvedQuery,
    expansions: readonly TermExpansion[] | null,
    window: Window,
  ): Promise<FoundIds | null> {
    const words = expansions ?? [];
    const beginnings = new Map(words.flatMap(beginningWanted));
    if (query.node !== PRODUCT || query.sandbox || [...beginnings.values()].some(isLong)) return null;
    const snapshot = await SnapshotReader.open(knex);
    if (!snapshot) return null;
    const carrying = new Map([...scopeTerms(query), ...words.flatMap(expansionTerms)]);
    const sets = await snapshot.sets({ carrying, beginnings });
    const among = scopeOf(query, sets, snapshot.products);
    const page =
      expansions === null
        ? await this.listed(snapshot, among, query.sort, window)
        : rankedOrdinals(
            words.map((word) => ordinalsOf(word, sets)),
            among,
            window,
          );
    const ids = page && (await snapshot.idsAt(page.ordinals));
    return ids && { ids, total: page.total, wordsMatched: page.wordsMatched };
  }

  private async listed(
    snapshot: SnapshotReader,
    among: Bitset,
    sort: Sort,
    window: Window,
  ): Promise<RankedOrdinals | null> {
    const total = among.count();
    const ordinals = await this.ordinalsInOrder(snapshot, among, total, sort, window);
    return ordinals && { ordinals, total, wordsMatched: 0 };
  }

  private async ordinalsInOrder(
    snapshot: SnapshotReader,
    among: Bitset,
    total: number,
    sort: Sort,
    { offset, limit }: Window,
  ): Promise<number[] | null> {
    if (offset >= total) return [];
    if (sort === 'popularity_desc') return among.ordinals(offset, limit);
    const order = await this.order(snapshot, sort);
    if (!order) return null;
    if (total === snapshot.products) return [...order.subarray(offset, offset + limit)];
    const found: number[] = [];
    let left = offset;
    for (let at = 0; at < order.length && found.length < limit; at++) {
      const ordinal = order[at] ?? 0;
      if (among.has(ordinal) && left-- <= 0) found.push(ordinal);
    }
    return found;
  }

  private async order(snapshot: SnapshotReader, sort: Sort): Promise<Uint32Array | null> {
    if (this.orders?.snapshot !== snapshot.number) {
      this.orders = { snapshot: snapshot.number, bySort: new Map() };
    }
    const { bySort } = this.orders;
    const known = bySort.get(sort) ?? (await snapshot.order(sort));
    if (known) bySort.set(sort, known);
    return known;
  }
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

function scopeOf({ categories, filters }: ResolvedQuery, sets: Sets, products: number): Bitset {
  const nothing = Bitset.empty(products);
  const whole = categories === null ? Bitset.full(products) : (sets.get(SCOPE) ?? nothing);
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
