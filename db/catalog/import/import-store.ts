import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { EntityRecord } from '../../../models/catalog/import/records';
import type { CatalogImportStore, FeedRun, RecordTransaction } from '../../../models/ports';
import type { BegunEntry } from '../../accounts/audit-log';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { messagesAbout } from '../../webhooks/messages-about';
import { makeSearchSnapshot } from '../search/make-snapshot';
import { countStale, loadEntitiesOf } from './catalog-tables';
import { PostgresFeedRun } from './feed-run';
import { PostgresRecordStore, STOPPED_IMPORT, WRITER_SETTINGS } from './record-store';
import { countDeferredIndexes, deferIndexes, makeIndexes, tidyTables } from './search-upkeep';

interface Holder {
  readonly host: string;
  readonly process_id: number;
  readonly started_at: Date;
}

/** Thrown to anyone who wants to import while another import runs. */
export class ImportRunningError extends Error {
  constructor({ host, process_id, started_at }: Holder) {
    super(
      `Another import has been running since ${started_at.toISOString()} (process ${process_id} on ${host}). ` +
        'Start this one again when it is done.',
    );
    this.name = 'ImportRunningError';
  }
}

const BEAT_MS = 2_000;
const POLL_MS = 250;
const LOST = 'This import stood still and another one took its place.';

/**
 * For the transaction only: no limit on statements, as a large catalog takes long. A commit does not wait for the disk:
 * what a crash of the server takes back is done again by starting the import again, and the end of the import waits for
 * all of it (`release`).
 */
const SETTINGS = sql`${WRITER_SETTINGS}, set_config('statement_timeout', '0', true),
  set_config('synchronous_commit', 'off', true)`;

/**
 * The right to import, which one import at a time has: a row that it renews. It is a row rather than an advisory lock
 * because all clients of the embedded database share one session. A holder that died is replaced when its row has not
 * been renewed for 10 s. Every transaction of an import goes through the lock, so a holder that lost it writes no more.
 */
export class ImportLock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly knex: Knex,
    private readonly holder: string,
  ) {
    this.timer = setInterval(() => void this.beat().catch(() => undefined), BEAT_MS).unref();
  }

  /** Waits for a holder that seems to have died. @throws ImportRunningError when another import is alive */
  static async acquire(knex: Knex): Promise<ImportLock> {
    const holder = randomUUID();
    for (let last: string | undefined; ; await delay(POLL_MS)) {
      await rowsOf(knex, sql`DELETE FROM catalog_import_lock WHERE ${STOPPED_IMPORT}`);
      const taken = await rowsOf(
        knex,
        sql`INSERT INTO catalog_import_lock (holder, host, process_id)
            VALUES (${holder}, ${hostname()}, ${process.pid}) ON CONFLICT DO NOTHING RETURNING holder`,
      );
      if (taken.length > 0) return new ImportLock(knex, holder);
      const [other] = await rowsOf<Holder & { readonly beat: string }>(
        knex,
        sql`SELECT host, process_id, started_at, holder || heartbeat_at AS beat FROM catalog_import_lock`,
      );
      if (other && last !== undefined && other.beat !== last) throw new ImportRunningError(other);
      last = other?.beat;
    }
  }

  /** A transaction of the import: all of it or nothing. @throws Error when the lock was lost */
  async transaction<Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> {
    return await inTransaction(this.knex, async (trx) => {
      // Who replaces the holder deletes the row, and so waits for the end of this; a beat does not.
      const held = await rowsOf(
        trx,
        sql`SELECT ${SETTINGS} FROM catalog_import_lock WHERE holder = ${this.holder} FOR KEY SHARE`,
      );
      if (held.length === 0) throw new Error(LOST);
      return await work(trx);
    });
  }

  /** Lets the next import begin, once the disk has all that this one wrote. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    await rowsOf(this.knex, sql`DELETE FROM catalog_import_lock WHERE holder = ${this.holder}`);
  }

  private async beat(): Promise<void> {
    await rowsOf(
      this.knex,
      sql`UPDATE catalog_import_lock SET heartbeat_at = clock_timestamp() WHERE holder = ${this.holder}`,
    );
  }
}

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

  async entitiesOf(kinds: readonly string[], after: string, limit: number): Promise<readonly EntityRecord[]> {
    return await loadEntitiesOf(this.knex, kinds, after, limit);
  }

  async openFeed(name: string): Promise<FeedRun> {
    return await PostgresFeedRun.open(this.knex, (work) => this.lock.transaction(work), name);
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
