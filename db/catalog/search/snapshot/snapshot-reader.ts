import type { Knex } from 'knex';
import type { Sort } from '../../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../../models/ports';
import { rowsOf, sql } from '../../../core/sql';
import { CatalogChanged, isStill } from '../catalog-state';
import type { OrderKey } from '../order-key';
import type { Bitset } from './bitset';
import type { ChangedProducts } from './changed-products';
import { FacetColumn } from './facet-column';
import type { KnownSnapshot } from './known-snapshot';
import { SnapshotOrder } from './snapshot-order';

/**
 * A snapshot and what has changed since it was made, as one state of the catalog has them. What it reads later is of that
 * state or throws `CatalogChanged`; some of it may also be of another state, of which whoever answers makes sure at last.
 */
export class SnapshotReader {
  /**
   * @param living the ordinals of products that there are
   * @param sets the sets that were wanted, by name, without those that have no product; what does not live may be in them
   */
  constructor(
    private readonly knex: Knex,
    private readonly known: KnownSnapshot,
    private readonly state: CatalogState,
    readonly living: Bitset,
    readonly sets: ReadonlyMap<string, Bitset>,
  ) {}

  get changes(): ChangedProducts {
    return this.known.changes;
  }

  /** The order of a listing, in which all products of the state have their places. */
  async order(sort: Sort): Promise<SnapshotOrder> {
    const order =
      this.known.orders.get(sort) ?? new SnapshotOrder(sort, this.changes, await this.readOrder(sort));
    this.known.orders.set(sort, order);
    await order.placeChanges(this.living.size, this.readKeys);
    return order;
  }

  /** The place of a row in an order. */
  async placeOf(row: OrderKey, order: SnapshotOrder): Promise<number> {
    const [place = 0] = await order.placesOf([row], this.readKeys);
    return place;
  }

  /** How many members of a set have each value of a facet field. */
  async facetCounts(field: string, set: Bitset): Promise<ReadonlyMap<string, number>> {
    const known = this.known.facets.get(field);
    if (known) return known.counts(set);
    const chunks = await rowsOf<{ chunk: number; lists: string[][]; codes: Buffer }>(
      this.knex,
      sql`SELECT chunk, lists, codes FROM search_snapshot_facets
          WHERE snapshot = ${this.known.number} AND field = ${field}`,
    );
    const column = new FacetColumn(field, this.changes, chunks);
    // A field that no product has is not kept: callers name any.
    if (chunks.length > 0) this.known.facets.set(field, column);
    return column.counts(set);
  }

  private async readOrder(sort: Sort): Promise<Uint32Array | null> {
    if (sort === 'popularity_desc') return null;
    const [line] = await rowsOf<{ ordinals: Buffer }>(
      this.knex,
      sql`SELECT ordinals FROM search_snapshot_orders WHERE snapshot = ${this.known.number} AND sort = ${sort}`,
    );
    if (!line) throw new CatalogChanged();
    return Uint32Array.from({ length: line.ordinals.length / 4 }, (_, at) =>
      line.ordinals.readUInt32BE(at * 4),
    );
  }

  /** What has not changed by this state stands where the snapshot has it. */
  private readonly readKeys = async (ordinals: readonly number[]): Promise<ReadonlyMap<number, OrderKey>> => {
    if (ordinals.length === 0) return new Map();
    const lines = await rowsOf<{ ordinal: number; id: string; popularity: number; sort_key: string }>(
      this.knex,
      sql`WITH wanted AS MATERIALIZED (
            SELECT p.* FROM unnest(${ordinals}::integer[]) AS asked (ordinal) CROSS JOIN LATERAL (
              SELECT ordinal, id FROM search_snapshot_ordinals
              WHERE snapshot = ${this.known.number} AND ordinal = asked.ordinal OFFSET 0) AS p
          )
          SELECT wanted.ordinal, s.* FROM wanted CROSS JOIN LATERAL (
            SELECT id, popularity, sort_key FROM catalog_search WHERE id = wanted.id OFFSET 0) AS s
          WHERE ${isStill(this.state, sql`SELECT id FROM wanted`)}`,
    );
    if (lines.length < ordinals.length) throw new CatalogChanged();
    return new Map(
      lines.map(({ ordinal, sort_key: sortKey, ...key }) => [ordinal, { ...key, sortKey }] as const),
    );
  };
}
