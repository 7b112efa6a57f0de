import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { inject, injectable } from 'tsyringe';
import {
  type CategoryRecord,
  type EntityRecord,
  type RecordKind,
  RecordRefusedError,
  type WrittenRecords,
} from '../../../models/catalog/import/records';
import {
  type AuditEntry,
  type CatalogRecords,
  type Clock,
  type FoundRecord,
  PORTS,
  type ReadRecord,
  type RecordStore,
  type RecordTransaction,
  type VariantOwner,
} from '../../../models/ports';
import { BegunEntry } from '../../accounts/audit-log';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { upsert } from '../../core/staging';
import { writeEstimates } from './best-estimates';
import {
  countStale,
  loadCategories,
  loadEntities,
  loadEntityRecords,
  loadProducts,
  SOURCE_TABLES,
  STALE_AT_ONCE,
  type Stored,
  taxonomyVersion,
} from './catalog-tables';
import { deriveNoted, deriveRows, deriveStale, Vocabulary } from './derived-rows';
import { writeCategories, writeEntities, writeProducts, writeSynonyms } from './write-records';

/** The records of the catalog as calls write them, in PostgreSQL. */
@injectable()
export class PostgresCatalogRecords implements CatalogRecords {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  open(entry: AuditEntry): RecordStore {
    return this.#open(new BegunEntry(this.clock, entry));
  }

  async find(id: string): Promise<FoundRecord | null> {
    const [found] = await rowsOf<FoundRecord>(
      this.knex,
      sql`SELECT kind, EXISTS (SELECT FROM catalog_search WHERE id = ${id}) AS searchable FROM (
            SELECT 'products' AS kind FROM products WHERE id = ${id} AND NOT deleted
            UNION ALL SELECT 'entities' FROM entities WHERE id = ${id} AND NOT deleted
            UNION ALL SELECT 'categories' FROM categories WHERE id = ${id}) AS found`,
    );
    return found ?? null;
  }

  async read(id: string): Promise<ReadRecord | null> {
    const { kind = null } = (await this.find(id)) ?? {};
    if (kind === 'products') return recordOf(kind, await loadProducts(this.knex, [id]));
    if (kind === 'entities') return recordOf(kind, await loadEntities(this.knex, [id]));
    const category = kind && (await loadCategories(this.knex)).get(id);
    return category ? { kind: 'categories', record: category } : null;
  }

  async deriveStaleRows(limit: number): Promise<number> {
    if ((await countStale(this.knex, 1)) === 0 || (await isImportAlive(this.knex))) return 0;
    return await this.#open(null).deriveStaleRows(limit);
  }

  #open(entry: BegunEntry | null): PostgresRecordStore {
    const settled: InTransaction = (work) =>
      inTransaction(this.knex, async (trx) => {
        await rowsOf(trx, sql`SELECT ${WRITER_SETTINGS}`);
        return await work(trx);
      });
    return new PostgresRecordStore(this.knex, settled, entry);
  }
}

/** The only record of those loaded; null when it was deleted meanwhile. */
function recordOf<Kind extends ReadRecord['kind'], Record>(
  kind: Kind,
  loaded: ReadonlyMap<string, Stored<Record>>,
): { readonly kind: Kind; readonly record: Record } | null {
  const [found] = loaded.values();
  return found && !found.deleted ? { kind, record: found.record } : null;
}

/** Whether the holder of `catalog_import_lock` has died, by the clock of the database, which wrote the time (contract 14.18). */
export const STOPPED_IMPORT = sql`abs(extract(epoch FROM clock_timestamp() - heartbeat_at)) > 10`;

/** Whether an import runs. */
export async function isImportAlive(knex: Knex): Promise<boolean> {
  const alive = await rowsOf(knex, sql`SELECT FROM catalog_import_lock WHERE NOT ${STOPPED_IMPORT}`);
  return alive.length > 0;
}

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

/** So long in all; then the rest of a large import leaves it to its end, where each row comes once. */
const DERIVING_AT_ONCE_MS = 500;

/** Writes records; resolves to the rows that it noted to be derived again, as `noteStale` does. */
type Write<Written> = (trx: Knex, records: readonly Written[]) => Promise<readonly string[]>;

type Writers = { readonly [Kind in RecordKind]: Write<WrittenRecords[Kind]> };

/** What one import or call remembers from one transaction to the next. */
export interface WriterMemory {
  readonly vocabulary: Vocabulary;
  /** Spent so far on rows that followed at once. */
  derivingMs: number;
}

/** Records within a transaction of the database. */
export class PostgresRecordTransaction implements RecordTransaction {
  private readonly writers: Writers = {
    categories: writeCategories,
    // Rows hold ids of tags only, so nothing else changes with them.
    tags: notingNothing((trx, records) => upsert(trx, SOURCE_TABLES.tags, records)),
    synonyms: notingNothing(writeSynonyms),
    entities: writeEntities,
    products: (trx, records) => this.writeProducts(trx, records),
    estimates: writeEstimates,
    history: notingNothing((trx, records) => upsert(trx, SOURCE_TABLES.history, records)),
    listings: notingNothing((trx, records) => upsert(trx, SOURCE_TABLES.listings, records)),
  };

  constructor(
    protected readonly trx: Knex,
    private readonly memory: WriterMemory,
  ) {}

  async entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>> {
    return await loadEntityRecords(this.trx, ids);
  }

  async variantOwners(ids: readonly string[]): Promise<readonly VariantOwner[]> {
    // One look-up for each key: the planner else reads the whole table for a few thousand of them.
    return await rowsOf(
      this.trx,
      sql`SELECT variant.*, coalesce((SELECT deleted FROM products WHERE id = product_id), false) AS deleted
          FROM unnest(${ids}::text[]) AS given (id) CROSS JOIN LATERAL (
            SELECT id, product_id FROM variants WHERE id = given.id OFFSET 0) AS variant`,
    );
  }

  /** In a savepoint, which takes back what is refused; then nothing is remembered of it. */
  async write<Kind extends RecordKind>(kind: Kind, records: readonly WrittenRecords[Kind][]): Promise<void> {
    try {
      await inTransaction(this.trx, async (savepoint) => {
        const noted = await this.writers[kind](savepoint, records);
        if (this.memory.derivingMs < DERIVING_AT_ONCE_MS) await this.deriveAtOnce(savepoint, noted);
      });
    } catch (failure) {
      this.memory.vocabulary.forget();
      const refusal = refusedValue(failure);
      throw refusal === null ? failure : new RecordRefusedError(refusal, failure);
    }
  }

  /** Rows that were prepared before somebody else changed the taxonomy are derived again. */
  private async writeProducts(
    trx: Knex,
    records: readonly WrittenRecords['products'][],
  ): Promise<readonly string[]> {
    const noted = await writeProducts(trx, records, this.memory.vocabulary);
    const version = await taxonomyVersion(trx);
    const outdated = records.filter((record) => 'row' in record && record.taxonomyVersion !== version);
    await deriveRows(
      trx,
      outdated.map(({ id }) => id),
    );
    return noted;
  }

  /** What others noted is left to them, however much it is. */
  private async deriveAtOnce(trx: Knex, noted: readonly string[]): Promise<void> {
    if (noted.length === 0 || noted.length > STALE_AT_ONCE) return;
    const startedAt = performance.now();
    await deriveNoted(trx, noted);
    this.memory.derivingMs += performance.now() - startedAt;
  }
}

const notingNothing =
  <Written>(write: (trx: Knex, records: readonly Written[]) => Promise<unknown>): Write<Written> =>
  async (trx, records) => {
    await write(trx, records);
    return [];
  };

/** SQLSTATE classes of what is wrong with a value: data exception, integrity violation, program limit exceeded. */
const VALUE_CLASSES = ['22', '23', '54'];

/**
 * The database's words for a value that it can't hold, null for any other failure. The last resort of an import:
 * what its checks let through costs one record, not all that come after it.
 */
export function refusedValue(failure: unknown): string | null {
  if (!(failure instanceof Error) || !('code' in failure) || typeof failure.code !== 'string') return null;
  if (!VALUE_CLASSES.includes(failure.code.slice(0, 2)) || failure.code.length !== 5) return null;
  // Knex puts the whole statement before the words of the database; a COPY does not go through it.
  const words = failure.message.lastIndexOf(' - ');
  return words < 0 ? failure.message : failure.message.slice(words + 3);
}
