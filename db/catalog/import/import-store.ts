import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import {
  type CategoryRecord,
  type EntityRecord,
  type RecordKind,
  RecordRefusedError,
  type WrittenRecords,
} from '../../../models/catalog/import/records';
import type { CatalogImportStore, StoredImage, VariantOwner } from '../../../models/ports';
import { rowsOf, sql } from '../../core/sql';
import { messagesAbout } from '../../webhooks/messages-about';
import { makeSearchSnapshot } from '../search/snapshot/make-snapshot';
import { refusedValue } from './data-refusal';
import { countDeferredIndexes, deferIndexes, makeIndexes } from './deferred-indexes';
import { ImportLock } from './import-lock';
import { loadCategories, loadEntityRecords } from './load-sources';
import { countStale, deriveStale } from './stale-rows';
import { tidyTables } from './tidy-tables';
import { Vocabulary } from './vocabulary';
import { writeEstimates, writeHistory, writeListings } from './write-prices';
import { writeProducts } from './write-products';
import { writeCategories, writeEntities, writeTags } from './write-taxonomy';

/** As many rows are derived again in the transaction that made them stale; more wait, so that it stays short. */
const STALE_AT_ONCE = 500;
/** So long in all; then the rest of a large import leaves it to its end, where each row comes once. */
const DERIVING_AT_ONCE_MS = 2_000;
/** Those of a million products; about 50 MB. */
const ENTITIES_MAX = 60_000;
/** So many first products are worth the making of indexes at their end. */
const MANY_PRODUCTS = 2_000;

type Writers = {
  readonly [Kind in RecordKind]: (trx: Knex, records: readonly WrittenRecords[Kind][]) => Promise<void>;
};

/** The catalog itself, changed under the lock of its one import. */
export class PostgresImportStore implements CatalogImportStore {
  private derivingMs = 0;
  private firstProducts = 0;
  private readonly knownEntities = new LRUCache<string, EntityRecord>({ max: ENTITIES_MAX });
  private readonly vocabulary = new Vocabulary();
  private readonly writers: Writers = {
    categories: writeCategories,
    tags: writeTags,
    entities: writeEntities,
    products: (trx, records) => writeProducts(trx, records, this.vocabulary),
    estimates: writeEstimates,
    history: writeHistory,
    listings: writeListings,
  };

  /** @param connections how many work at the same time where the work can be parted; the embedded database has one */
  constructor(
    protected readonly knex: Knex,
    private readonly lock: ImportLock,
    private readonly connections: number,
  ) {}

  async categories(): Promise<readonly CategoryRecord[]> {
    return [...(await loadCategories(this.knex)).values()];
  }

  async tagIds(): Promise<readonly string[]> {
    return await this.knex('tags').pluck('id');
  }

  async entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>> {
    const found = new Map<string, EntityRecord>();
    const unknown: string[] = [];
    for (const id of ids) {
      const known = this.knownEntities.get(id);
      if (known) found.set(id, known);
      else unknown.push(id);
    }
    for (const [id, entity] of await loadEntityRecords(this.knex, unknown)) {
      this.knownEntities.set(id, entity);
      found.set(id, entity);
    }
    return found;
  }

  async variantOwners(
    ids: readonly string[],
    productIds: readonly string[],
  ): Promise<readonly VariantOwner[]> {
    // One look-up for each key: the planner else reads the whole table for a few thousand of them.
    return await rowsOf(
      this.knex,
      sql`SELECT owned.*, (SELECT deleted FROM products WHERE id = product_id) AS deleted FROM (
            SELECT variant.* FROM unnest(${ids}::text[]) AS given (id) CROSS JOIN LATERAL (
              SELECT id, product_id FROM variants WHERE id = given.id OFFSET 0) AS variant
            UNION
            SELECT variant.* FROM unnest(${productIds}::text[]) AS given (id) CROSS JOIN LATERAL (
              SELECT id, product_id FROM variants WHERE product_id = given.id OFFSET 0) AS variant) AS owned`,
    );
  }

  async storedImage(digest: string): Promise<StoredImage | null> {
    const row = await this.knex<StoredImage & { digest: string }>('catalog_stored_images')
      .where({ digest })
      .first('address', 'thumbnail');
    return row ?? null;
  }

  async rememberImage(digest: string, { address, thumbnail }: StoredImage): Promise<void> {
    await this.knex('catalog_stored_images')
      .insert({ digest, address, thumbnail })
      .onConflict('digest')
      .merge();
  }

  async write<Kind extends RecordKind>(kind: Kind, records: readonly WrittenRecords[Kind][]): Promise<void> {
    if (kind === 'entities') this.knownEntities.clear();
    if (kind === 'products') await this.expectProducts(records.length);
    await this.transaction(async (trx) => {
      await this.writers[kind](trx, records);
      if (this.derivingMs < DERIVING_AT_ONCE_MS) await this.deriveAtOnce(trx);
    });
  }

  async staleRows(): Promise<number> {
    return await countStale(this.knex, Number.MAX_SAFE_INTEGER);
  }

  async deriveStaleRows(limit: number): Promise<number> {
    return await this.lock.transaction((trx) => deriveStale(trx, limit));
  }

  async missingIndexes(): Promise<number> {
    return await countDeferredIndexes(this.knex);
  }

  async makeIndexes(onMade: () => void): Promise<void> {
    await makeIndexes(this.knex, this.lock, this.connections, onMade);
  }

  async tidy(): Promise<void> {
    await tidyTables(this.knex, this.lock, this.connections);
  }

  async refreshSearch(): Promise<void> {
    await makeSearchSnapshot(this.knex);
  }

  async tellOfEnd(counts: Parameters<CatalogImportStore['tellOfEnd']>[0], now: Date): Promise<void> {
    const message = { data: sql`${JSON.stringify(counts)}::json`, whose: sql`true` };
    await this.lock.transaction((trx) => rowsOf(trx, messagesAbout('catalog.import.done', now, message)));
  }

  async close(): Promise<void> {
    await this.lock.release();
  }

  /** A transaction of the import, after which nothing is remembered of what it took back. */
  protected async transaction(work: (trx: Knex) => Promise<void>): Promise<void> {
    try {
      await this.lock.transaction(work);
    } catch (failure) {
      this.vocabulary.forget();
      const refusal = refusedValue(failure);
      throw refusal === null ? failure : new RecordRefusedError(refusal, failure);
    }
  }

  /** Many products of a catalog without any are written without the indexes of search, which are made at their end. */
  private async expectProducts(count: number): Promise<void> {
    // The one session of the embedded database would be kept from all others while it makes an index.
    if (this.connections === 1 || this.firstProducts >= MANY_PRODUCTS) return;
    const isFirst = this.firstProducts > 0 || !(await hasProducts(this.knex));
    this.firstProducts = isFirst ? this.firstProducts + count : MANY_PRODUCTS;
    if (isFirst && this.firstProducts >= MANY_PRODUCTS) await deferIndexes(this.lock);
  }

  private async deriveAtOnce(trx: Knex): Promise<void> {
    const stale = await countStale(trx, STALE_AT_ONCE + 1);
    if (stale === 0 || stale > STALE_AT_ONCE) return;
    const startedAt = performance.now();
    await deriveStale(trx, STALE_AT_ONCE);
    this.derivingMs += performance.now() - startedAt;
  }
}

/** Whether there is any product, or ever was. */
async function hasProducts(knex: Knex): Promise<boolean> {
  const rows = await rowsOf(knex, sql`SELECT FROM products LIMIT 1`);
  return rows.length > 0;
}
