import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { CategoryRecord, EntityRecord } from '../../../models/catalog/import/records';
import type { AuditEntry, RecordStore, RecordTransaction } from '../../../models/ports';
import type { BegunEntry } from '../../accounts/audit-log';
import { rowsOf, sql } from '../../core/sql';
import { loadCategories, loadEntityRecords, taxonomyVersion } from './catalog-tables';
import { deriveStale, Vocabulary } from './derived-rows';
import { PostgresRecordTransaction, type WriterMemory } from './record-transaction';

/** Those of a million products; about 50 MB. */
const ENTITIES_MAX = 60_000;
/** Any number that nothing else locks by. */
const LOCK = 6_021_024;

/**
 * For a transaction that writes records: look-ups of many keys by index, which the planner else takes for dearer than
 * reading the whole table; no compiling of statements, which costs more than it saves. What is new to the indexes of words
 * and facets goes into them by the 16 MiB: by the 4 of the default, each of their pages is written four times as often.
 */
export const WRITER_SETTINGS = sql`set_config('random_page_cost', '1.1', true), set_config('jit', 'off', true),
  set_config('gin_pending_list_limit', '16MB', true)`;

/** Does work in a transaction of the database, with whatever settings the writer wants. */
export type InTransaction = <Result>(work: (trx: Knex) => Promise<Result>) => Promise<Result>;

/**
 * The records of the catalog. An import and calls take their turns by a lock of the database that each transaction holds to
 * its end, so that none waits for more of another than one transaction, and what one of them checked is true when it writes.
 */
export class PostgresRecordStore implements RecordStore {
  protected readonly memory: WriterMemory = { vocabulary: new Vocabulary(), derivingMs: 0 };
  // By size, since room for a `max` is made at once, and most calls know a few.
  private readonly knownEntities = new LRUCache<string, EntityRecord>({
    maxSize: ENTITIES_MAX,
    sizeCalculation: () => 1,
  });
  private knownVersion = Number.NaN;

  constructor(
    protected readonly knex: Knex,
    private readonly inTransaction: InTransaction,
    private readonly entry: BegunEntry | null,
  ) {}

  async categories(): Promise<readonly CategoryRecord[]> {
    return [...(await loadCategories(this.knex)).values()];
  }

  async tagIds(): Promise<readonly string[]> {
    return await this.knex('tags').pluck('id');
  }

  async taxonomyVersion(): Promise<number> {
    const version = await taxonomyVersion(this.knex);
    if (version !== this.knownVersion) this.knownEntities.clear();
    this.knownVersion = version;
    return version;
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

  async transaction<Result>(work: (transaction: RecordTransaction) => Promise<Result>): Promise<Result> {
    const result = await this.alone(async (trx) => {
      await this.entry?.begin(trx);
      return await work(this.recordsIn(trx));
    });
    this.entry?.committed();
    return result;
  }

  async finish(details: AuditEntry['details']): Promise<void> {
    await this.entry?.complete(this.knex, details);
  }

  /** Derives up to `limit` of the rows that were noted; how many there were. */
  async deriveStaleRows(limit: number): Promise<number> {
    return await this.alone((trx) => deriveStale(trx, limit));
  }

  /** A transaction that no other writer of records is in. */
  private async alone<Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> {
    return await this.inTransaction(async (trx) => {
      await rowsOf(trx, sql`SELECT pg_advisory_xact_lock(${LOCK})`);
      return await work(trx);
    });
  }

  protected recordsIn(trx: Knex): RecordTransaction {
    return new PostgresRecordTransaction(trx, this.memory);
  }
}
