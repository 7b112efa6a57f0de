import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { inject, injectable } from 'tsyringe';
import {
  NO_FILTER,
  type ResolvedQuery,
  type SearchPage,
  type SearchScope,
} from '../../models/catalog/catalog-query';
import type { CatalogItem, Category, Tag } from '../../models/catalog/item';
import { Taxonomy } from '../../models/catalog/taxonomy';
import type * as ports from '../../models/ports';
import { PORTS } from '../../models/ports';
import { allOf, inTransaction, prepared, rowsOf, sql } from '../core/sql';
import { VersionedCache } from '../core/versioned-cache';
import { type ItemRow, idsWithin, itemsIn, readFound, rowsById } from './catalog-items';
import { conditionsOf } from './search/catalog-clauses';
import { CatalogChanged } from './search/catalog-state';
import { facetValues } from './search/facet-values';
import { postingRequests, rankProducts } from './search/rank-products';
import { type FoundInState, type RankOrder, scoredRows, type Window } from './search/scored-rows';
import { type SeenSnapshot, SnapshotCache, TRIED_MS } from './search/snapshot-cache';
import type { TermExpansion } from './search/term-expansion';
import { suggestedRows } from './suggestions';

/** Attempts without a transaction: the first from the state last seen by this process, the others from the current one. */
const ATTEMPTS = 5;
/** Of kept pages, as JSON. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** The state that this process had seen last when the attempt began; null: the current one. */
type From = SeenSnapshot | null;

/**
 * The catalog in PostgreSQL. Queries read the narrow `catalog_search` and its snapshot, and wide rows for a page alone. Each
 * answer is of one state of the catalog, without a transaction: the last statement, which reads the rows, tells whether that
 * state is still current (contract 4.14). If not, the answer is made again, the last time in a transaction.
 */
@injectable()
export class PostgresCatalogRepository implements ports.CatalogRepository {
  readonly #snapshots: SnapshotCache;
  /** Pages of rows that no snapshot has, by query, until a change is noticed. */
  readonly #pages = new LRUCache<string, FoundInState>({
    ...{ maxSize: PAGE_BYTES_MAX, ttl: TRIED_MS },
    sizeCalculation: (page, query) => query.length + JSON.stringify(page).length,
  });
  readonly #taxonomy = new VersionedCache(
    async () =>
      new Taxonomy(await rowsOf<Category>(this.knex)`SELECT id, name, hierarchy FROM categories ORDER BY id`),
  );
  readonly #tags = new VersionedCache(
    () => rowsOf<Tag>(this.knex)`SELECT id, name, "group" FROM tags ORDER BY "group", display_order, id`,
  );
  readonly #facetFields = new VersionedCache(async () => {
    // Steps through the index from kind to kind: there are few kinds and many entities, and each write of an entity is a new version.
    const rows = await rowsOf<{ field: string }>(this.knex)`WITH RECURSIVE kinds (category, kind) AS (
        (SELECT category, kind FROM entities ORDER BY category, kind LIMIT 1)
        UNION ALL
        SELECT following.category, following.kind FROM kinds CROSS JOIN LATERAL (
          SELECT e.category, e.kind FROM entities e WHERE (e.category, e.kind) > (kinds.category, kinds.kind)
          ORDER BY e.category, e.kind LIMIT 1
        ) AS following
      )
      SELECT kind AS field FROM kinds UNION SELECT unnest(hierarchy) FROM categories ORDER BY field`;
    return rows.map(({ field }) => field).filter((field) => field !== 'category');
  });

  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {
    this.#snapshots = new SnapshotCache(knex);
  }

  taxonomy(version?: number): Promise<Taxonomy> {
    return this.#taxonomy.at(version);
  }

  tags(taxonomyVersion?: number): Promise<readonly Tag[]> {
    return this.#tags.at(taxonomyVersion);
  }

  facetFields(taxonomyVersion?: number): Promise<readonly string[]> {
    return this.#facetFields.at(taxonomyVersion);
  }

  async itemsById(
    ids: readonly string[],
    pricing = false,
    scope: SearchScope = NO_FILTER,
  ): Promise<readonly CatalogItem[]> {
    if (ids.length === 0) return [];
    const isNarrowed = conditionsOf(scope).length > 0;
    const statement = isNarrowed
      ? rowsById(sql`ARRAY(${idsWithin(ids, scope)})`, pricing)
      : prepared(rowsById(sql`${ids}::text[]`, pricing));
    return itemsIn(await rowsOf<ItemRow>(this.knex, statement))(ids);
  }

  async productsShowing(
    imageIds: readonly number[],
    scope: SearchScope = NO_FILTER,
  ): Promise<ReadonlyMap<number, readonly string[]>> {
    const rows = await rowsOf<{ image: number; products: string[] }>(this.knex)`
      SELECT p.image_id AS image, array_agg(p.product_id ORDER BY p.product_id) AS products
      FROM product_images p JOIN catalog_search ON id = p.product_id
      WHERE ${allOf([sql`p.image_id = ANY(${imageIds}::bigint[])`, ...conditionsOf(scope)])}
      GROUP BY p.image_id`;
    return new Map(rows.map(({ image, products }) => [Number(image), products]));
  }

  async imageAddresses(imageIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await rowsOf<{ image: number; address: string }>(this.knex)`
      SELECT id AS image, address FROM images WHERE id = ANY(${imageIds}::bigint[])`;
    return new Map(rows.map(({ image, address }) => [Number(image), address]));
  }

  search(query: ResolvedQuery, pricing = false, sell?: ports.SellRows): Promise<SearchPage<CatalogItem>> {
    const { after, facets, pageSize, words } = query;
    // Counts of facets may be large.
    const name = facets || postingRequests(query, null) ? '' : JSON.stringify(query);
    return this.#attempt(async (knex, from) => {
      const pages = name && knex === this.knex ? this.#pages : null;
      let found = pages?.get(name);
      if (!found) {
        const expanded = words && (await this.#snapshots.expand(knex, words, from));
        const { expansions = null, state: before = null } = expanded ?? {};
        found = await this.#find(knex, query, expansions, { before, from });
        pages?.set(name, found);
      }
      const rows = found.rows.slice(0, pageSize);
      // A page without rows is free, and reveals nothing that others pay for (contract 4.15).
      const counts = rows.length > 0 ? found.facets : new Map();
      const values = facets && (await facetValues(knex, facets, counts));
      const wanted = { rows: rows.map(({ id }) => id), state: found.state };
      const items =
        sell && knex === this.knex ? (await sell(wanted))?.items : await readFound(knex, wanted, pricing);
      if (!items) throw new CatalogChanged();
      return {
        ...{ rows: items, total: found.total, wordsMatched: found.wordsMatched },
        ...(values && { facets: values }),
        ...(after !== undefined && { last: (found.rows.length > pageSize && rows.at(-1)) || null }),
      };
    });
  }

  suggest(query: ports.SuggestionQuery): Promise<readonly ports.SuggestedRow[]> {
    return this.#attempt((knex, from) =>
      suggestedRows(
        knex,
        query,
        (isTyped, known) => this.#snapshots.expand(knex, query.words ?? [], known ? from : null, isTyped),
        (products, expansions, before) =>
          this.#find(knex, products, expansions, { before, from, order: 'popularity' }),
      ),
    );
  }

  async #attempt<Answer>(answer: (knex: Knex, from: From) => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return await answer(this.knex, attempt === 0 ? this.#snapshots.lastSeen() : null);
      } catch (failure) {
        if (!(failure instanceof CatalogChanged)) throw failure;
        this.#pages.clear();
      }
    }
    return inTransaction(this.knex, async (trx) => {
      await rowsOf(trx)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`;
      return answer(trx, null);
    });
  }

  /** From the snapshot if it can answer, else from the rows; with the first state seen, as another query may see a newer one meanwhile. */
  async #find(
    knex: Knex,
    query: ResolvedQuery,
    expansions: readonly TermExpansion[] | null,
    {
      before,
      from,
      order = 'relevance',
    }: { before: ports.CatalogState | null; from: From; order?: RankOrder },
  ): Promise<FoundInState> {
    const window = windowOf(query);
    const wanted = postingRequests(query, expansions);
    const cached = wanted && from && this.#snapshots.cached(from, wanted);
    const loaded = cached ?? (wanted && (await this.#snapshots.load(wanted, knex)));
    const page = loaded?.view
      ? { ...(await rankProducts(knex, loaded.view, query, expansions, window, order)), state: loaded.state }
      : await scoredRows(knex, query, expansions, window, order);
    return { ...page, state: cached?.state ?? before ?? page.state };
  }
}

/** The part of a query's rows that a page has, however far; with a cursor one more, which tells whether any follow. */
const windowOf = ({ after, page, pageSize }: ResolvedQuery): Window =>
  after === undefined
    ? { offset: Math.min(page * pageSize, Number.MAX_SAFE_INTEGER), limit: pageSize }
    : { offset: 0, limit: pageSize + 1, after };
