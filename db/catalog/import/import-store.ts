import type { Knex } from 'knex';
import type { CatalogImportStore, RecordTransaction } from '../../../models/ports';
import type { BegunEntry } from '../../accounts/audit-log';
import { rowsOf, sql } from '../../core/sql';
import { messagesAbout } from '../../webhooks/messages-about';
import { makeSearchSnapshot } from '../search/snapshot/make-snapshot';
import { countStale } from './catalog-tables';
import type { ImportLock } from './import-lock';
import { PostgresRecordStore } from './record-store';
import { countDeferredIndexes, deferIndexes, makeIndexes, tidyTables } from './search-upkeep';

/** So many first products are worth the making of indexes at their end. */
const MANY_PRODUCTS = 2_000;

/** The catalog itself, changed under the lock of its one import. */
export class PostgresImportStore extends PostgresRecordStore implements CatalogImportStore {
  /** Whether this is the first load of a catalog that may leave its indexes to its end; null until that was looked at. */
  private isFirstLoad: boolean | null;

  /** @param connections how many work at the same time where the work can be parted; the embedded database has one */
  constructor(
    override readonly knex: Knex,
    readonly lock: ImportLock,
    readonly connections: number,
    entry: BegunEntry | null,
  ) {
    super(knex, (work) => lock.transaction(work), entry);
    // The one session of the embedded database would be kept from all others while it makes an index.
    this.isFirstLoad = connections === 1 ? false : null;
  }

  override async transaction<Result>(
    work: (transaction: RecordTransaction) => Promise<Result>,
  ): Promise<Result> {
    await this.deferIndexesOfFirstLoad();
    return await super.transaction(work);
  }

  async staleRows(): Promise<number> {
    return await countStale(this.knex, Number.MAX_SAFE_INTEGER);
  }

  async missingIndexes(): Promise<number> {
    return await countDeferredIndexes(this.knex);
  }

  async makeIndexes(onMade: () => void): Promise<void> {
    await makeIndexes(this, onMade);
  }

  async tidy(): Promise<void> {
    await tidyTables(this);
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

  /** Many products of a catalog without any are written without the indexes of search, which are made at their end. */
  private async deferIndexesOfFirstLoad(): Promise<void> {
    if (this.isFirstLoad === false) return;
    const products = await countProducts(this.knex, MANY_PRODUCTS);
    this.isFirstLoad ??= products === 0;
    if (products < MANY_PRODUCTS) return;
    if (this.isFirstLoad) await deferIndexes(this.lock);
    this.isFirstLoad = false;
  }
}

/** Deleted ones too; counted up to `limit`. */
async function countProducts(knex: Knex, limit: number): Promise<number> {
  const [counted] = await rowsOf<{ count: number }>(
    knex,
    sql`SELECT count(*) AS count FROM (SELECT FROM products LIMIT ${limit}) AS first`,
  );
  return counted?.count ?? 0;
}
