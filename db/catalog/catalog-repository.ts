import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import {
  EVERYTHING,
  type ResolvedQuery,
  type SearchPage,
  type SearchScope,
} from '../../models/catalog/catalog-query';
import type { CatalogItem, Category, Tag } from '../../models/catalog/item';
import type { SuggestedRow, SuggestionQuery } from '../../models/catalog/suggestion';
import { type CatalogRepository, PORTS, type SellRows } from '../../models/ports';
import { allOf, rowsOf, sql } from '../core/sql';
import { idsWithin, itemsById } from './catalog-items';
import { CatalogSearch } from './catalog-search';
import { conditionsOf } from './search/catalog-clauses';
import { VersionedCache } from './versioned-cache';

/** The catalog in PostgreSQL. Queries read the narrow `catalog_search` and its snapshot, and wide rows for a page alone. */
@injectable()
export class PostgresCatalogRepository implements CatalogRepository {
  readonly #search: CatalogSearch;
  readonly #categories = new VersionedCache(
    () =>
      rowsOf<Category>(this.knex)`
      SELECT id, name, hierarchy, name_fields AS "nameFields" FROM categories ORDER BY id`,
  );
  readonly #tags = new VersionedCache(
    () => rowsOf<Tag>(this.knex)`SELECT id, name, "group" FROM tags ORDER BY "group", display_order, id`,
  );
  readonly #facetFields = new VersionedCache(async () => {
    const rows = await rowsOf<{ field: string }>(this.knex)`
      SELECT kind AS field FROM entities UNION SELECT unnest(hierarchy) FROM categories ORDER BY field`;
    return rows.map(({ field }) => field).filter((field) => field !== 'category');
  });

  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {
    this.#search = new CatalogSearch(knex);
  }

  categories(taxonomyVersion?: number): Promise<readonly Category[]> {
    return this.#categories.at(taxonomyVersion);
  }

  tags(taxonomyVersion?: number): Promise<readonly Tag[]> {
    return this.#tags.at(taxonomyVersion);
  }

  facetFields(taxonomyVersion?: number): Promise<readonly string[]> {
    return this.#facetFields.at(taxonomyVersion);
  }

  itemsById(
    ids: readonly string[],
    pricing = false,
    scope: SearchScope = EVERYTHING,
  ): Promise<readonly CatalogItem[]> {
    return itemsById(this.knex, ids, pricing, scope);
  }

  search(query: ResolvedQuery, pricing = false, sell?: SellRows): Promise<SearchPage<CatalogItem>> {
    return this.#search.page(query, pricing, sell);
  }

  suggest(query: SuggestionQuery): Promise<readonly SuggestedRow[]> {
    return this.#search.suggest(query);
  }

  async within(ids: readonly string[], scope: SearchScope): Promise<readonly string[]> {
    const rows = await rowsOf<{ id: string }>(this.knex)`
      ${idsWithin(ids, scope)} ORDER BY array_position(${ids}::text[], id)`;
    return rows.map(({ id }) => id);
  }

  async productsShowing(
    imageIds: readonly number[],
    scope: SearchScope = EVERYTHING,
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
}
