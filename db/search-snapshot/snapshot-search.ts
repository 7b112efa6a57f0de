import type { Knex } from 'knex';
import type { Filter, ResolvedQuery, Sort } from '../../models/catalog/catalog-query';
import { facetOf, restricts } from '../catalog-clauses';
import type { Window } from '../page-of-ids';
import type { Reading } from '../search-terms';
import { Bitset } from './bitset';
import { type RankedPlaces, rankedPlaces } from './ranked-places';
import { categoryMark, RARE_BEGINNING_MAX } from './snapshot-marks';
import { type Marks, SnapshotReader } from './snapshot-reader';

/** Ids of a page and the totals of its whole answer. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly total: number;
  readonly wordsMatched: number;
}

/** Kind of the rows that snapshots are about. */
const PRODUCT = 'product';

/**
 * Answers queries for products from the snapshot of the catalog, where there is one and nothing has changed since.
 * What it keeps between queries are orders of the newest snapshot, four bytes a product each.
 */
export class SnapshotSearch {
  private orders: { readonly snapshot: number; readonly bySort: Map<Sort, Uint32Array> } | null = null;

  constructor(private readonly knex: Knex) {}

  /** A page of a listing; null when it has to be found without a snapshot. */
  async list(query: ResolvedQuery, window: Window): Promise<FoundIds | null> {
    if (query.node !== PRODUCT) return null;
    const snapshot = await SnapshotReader.open(this.knex);
    if (!snapshot) return null;
    const sets = await snapshot.sets({ carrying: new Map(scopeMarks(query)), beginning: null });
    const among = scopeOf(query, sets, snapshot.products);
    const total = among.count();
    const places = await this.window(snapshot, among, total, query.sort, window);
    const ids = places && (await snapshot.idsAt(places));
    return ids && { ids, total, wordsMatched: 0 };
  }

  /** A page of the rows that match words, each in one of its readings; null as above. */
  async searchText(
    query: ResolvedQuery,
    readings: readonly Reading[],
    window: Window,
  ): Promise<FoundIds | null> {
    const prefix = readings.find(({ anyLonger }) => anyLonger);
    if (query.node !== PRODUCT || [...(prefix?.word ?? '')].length > RARE_BEGINNING_MAX) return null;
    const snapshot = await SnapshotReader.open(this.knex);
    if (!snapshot) return null;
    const sets = await snapshot.sets({
      carrying: new Map([...scopeMarks(query), ...readings.flatMap(readingMarks)]),
      beginning: prefix ? { name: nameOf('longer', prefix), letters: prefix.word } : null,
    });
    const terms = readings.map((reading) => ({
      exact: sets.get(nameOf('exact', reading)) ?? null,
      longer: sets.get(nameOf('longer', reading)) ?? null,
      misspelt: sets.get(nameOf('misspelt', reading)) ?? null,
    }));
    const among = scopeOf(query, sets, snapshot.products);
    const { places, ...totals }: RankedPlaces = rankedPlaces(terms, among, window);
    const ids = await snapshot.idsAt(places);
    return ids && { ids, ...totals };
  }

  private async window(
    snapshot: SnapshotReader,
    among: Bitset,
    total: number,
    sort: Sort,
    { offset, limit }: Window,
  ): Promise<number[] | null> {
    if (offset >= total) return [];
    if (sort === 'popularity_desc') return among.places(offset, limit);
    const order = await this.order(snapshot, sort);
    if (!order) return null;
    if (total === snapshot.products) return [...order.subarray(offset, offset + limit)];
    const found: number[] = [];
    let left = offset;
    for (let at = 0; at < order.length && found.length < limit; at++) {
      const place = order[at] ?? 0;
      if (among.has(place) && left-- <= 0) found.push(place);
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
const nameOf = (way: 'exact' | 'longer' | 'misspelt', { word }: Reading): string => `${way} ${word}`;

function scopeMarks({ categories, filters }: ResolvedQuery): [string, Marks][] {
  const facets = (field: string, ids: readonly string[]): Marks => ({
    kind: 'facet',
    marks: [...new Set(ids)].map((id) => facetOf(field, id)),
  });
  return [
    [SCOPE, { kind: 'other', marks: (categories ?? []).map(categoryMark) }],
    ...filters.flatMap(({ field, include, exclude }, at): [string, Marks][] => [
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

function readingMarks(reading: Reading): [string, Marks][] {
  return [
    [nameOf('exact', reading), { kind: 'word', marks: [reading.word] }],
    [nameOf('longer', reading), { kind: 'word', marks: reading.longer }],
    [nameOf('misspelt', reading), { kind: 'word', marks: reading.misspelt }],
  ];
}
