import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { loadCategories, namedEntities } from './load-sources';
import { type CatalogRow, productRow, type Surroundings } from './project-rows';
import type { CategoryRecord, EntityRecord, ProductRecord } from './records';
import type { Remembered } from './remembered';

/** Between so many rows the answers of the database are looked at. */
const ROWS_AT_ONCE = 32;

/**
 * The rows of products that are about to be written. They follow from the records and what these name alone, so they
 * can be derived while the products before are still being written.
 */
export class ProductRows {
  private readonly derived = new WeakMap<ProductRecord, CatalogRow>();

  private categories: Promise<Map<string, CategoryRecord>> | null = null;

  constructor(private readonly entities: Remembered<EntityRecord>) {}

  /** To be told before categories change. */
  forgetCategories(): void {
    this.categories = null;
  }

  /** What rows of products are derived from: at least what these name. */
  async around(knex: Knex, products: readonly ProductRecord[]): Promise<Surroundings> {
    this.categories ??= loadCategories(knex);
    return {
      categories: await this.categories,
      entities: await this.entities.among(namedEntities(products)),
    };
  }

  /** Derives rows ahead. */
  async prepare(knex: Knex, products: readonly ProductRecord[]): Promise<void> {
    const missing = products.filter((product) => !this.derived.has(product));
    if (missing.length === 0) return;
    const around = await this.around(knex, missing);
    for (const [position, product] of missing.entries()) {
      this.derived.set(product, productRow(product, around));
      if (position % ROWS_AT_ONCE === 0) await setImmediate();
    }
  }

  /** The rows of products, of which those that were not prepared are derived now. */
  async of(trx: Knex, products: readonly ProductRecord[]): Promise<CatalogRow[]> {
    await this.prepare(trx, products);
    return products.flatMap((product) => this.derived.get(product) ?? []);
  }
}
