import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import {
  type CategoryRecord,
  type EntityRecord,
  type RecordKind,
  RecordRefusedError,
  type WrittenRecords,
} from '../../../models/catalog/import/records';
import type * as ports from '../../../models/ports';
import { PORTS } from '../../../models/ports';
import { OpenAuditEntry } from '../../core/audit-log';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { upsert } from '../../core/staging';
import { writeEstimates } from './best-estimates';
import * as tables from './catalog-tables';
import { deriveStale } from './derived-rows';
import { writeCategories, writeEntities, writeListings, writeProducts, writeSynonyms } from './write-records';

@injectable()
export class PostgresCatalogRecords implements ports.CatalogRecords {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  open(entry: ports.AuditEntry): ports.RecordStore {
    return new PostgresRecordStore(this.knex, new OpenAuditEntry(this.clock, entry));
  }

  async find(id: string): Promise<ports.FoundRecord | null> {
    const [found] = await rowsOf<ports.FoundRecord>(this.knex)`
      SELECT kind, EXISTS (SELECT FROM catalog_search WHERE id = ${id}) AS searchable FROM (
        SELECT 'products' AS kind FROM products WHERE id = ${id} AND NOT deleted
        UNION ALL SELECT 'entities' FROM entities WHERE id = ${id} AND NOT deleted
        UNION ALL SELECT 'categories' FROM categories WHERE id = ${id}) AS found`;
    return found ?? null;
  }

  async read(id: string): Promise<ports.ReadRecord | null> {
    const product = (await tables.loadProducts(this.knex, [id])).get(id);
    if (product) return { kind: 'products', record: product };
    const entity = (await tables.loadEntities(this.knex, sql`id = ${id} AND NOT deleted`)).get(id);
    if (entity) return { kind: 'entities', record: entity };
    const category = (await tables.loadCategories(this.knex)).get(id);
    return category ? { kind: 'categories', record: category } : null;
  }

  async deriveStaleRows(limit: number): Promise<number> {
    const stale = await rowsOf(this.knex)`SELECT FROM catalog_stale_rows LIMIT 1`;
    if (stale.length === 0 || (await isImportAlive(this.knex))) return 0;
    return await new PostgresRecordStore(this.knex, null).deriveStaleRows(limit);
  }
}

/** Whether the holder of `catalog_import_lock` has died, by the clock of the database, which wrote the time (contract 14.18). */
export const STOPPED_IMPORT = sql`abs(extract(epoch FROM clock_timestamp() - heartbeat_at)) > 10`;

export async function isImportAlive(knex: Knex): Promise<boolean> {
  const alive = await rowsOf(knex)`SELECT FROM catalog_import_lock WHERE NOT ${STOPPED_IMPORT}`;
  return alive.length > 0;
}

/** Any number that nothing else locks by. */
const LOCK = 6_021_024;

/**
 * For a transaction that writes records. Many keys are looked up by index, which the planner otherwise considers dearer than
 * reading the whole table. Statements are not compiled, which costs more than it saves.
 */
const SETTINGS = sql`set_config('random_page_cost', '1.1', true), set_config('jit', 'off', true)`;

export type InTransaction = <Result>(work: (trx: Knex) => Promise<Result>) => Promise<Result>;

/** Writers take turns by a lock per transaction (contract 15.5): none waits for more than one of another, and what was checked still holds when it is written. */
export class PostgresRecordStore implements ports.RecordStore {
  #derivingMs = 0;
  /** While indexes are missing, as each best estimate would be searched in all rows. */
  protected derivesLater = false;

  constructor(
    readonly knex: Knex,
    private readonly entry: OpenAuditEntry | null,
  ) {}

  async categories(): Promise<readonly CategoryRecord[]> {
    return [...(await tables.loadCategories(this.knex)).values()];
  }

  async tagIds(): Promise<readonly string[]> {
    return await this.knex('tags').pluck('id');
  }

  async taxonomyVersion(): Promise<number> {
    return await tables.taxonomyVersion(this.knex);
  }

  entities(ids: readonly string[]): Promise<ReadonlyMap<string, EntityRecord>> {
    return this.entitiesIn(this.knex, ids);
  }

  async entitiesOf(kinds: readonly string[], after: string, limit: number): Promise<readonly EntityRecord[]> {
    const wanted = sql`kind = ANY(${kinds}::text[]) AND id > ${after} AND NOT deleted ORDER BY id LIMIT ${limit}`;
    return [...(await tables.loadEntities(this.knex, wanted)).values()];
  }

  async transaction<Result>(work: (transaction: ports.RecordTransaction) => Promise<Result>) {
    const result = await this.alone(async (trx) => {
      await this.entry?.begin(trx);
      return await work({
        entities: (ids, onlyLive) => this.entitiesIn(trx, ids, onlyLive),
        products: async (ids) => new Set((await tables.loadProducts(trx, ids)).keys()),
        unpricedVariants: (ids) => this.unpricedVariants(trx, ids),
        write: (kind, records) => this.write(trx, kind, records),
      });
    });
    this.entry?.committed();
    return result;
  }

  async finish(details: ports.AuditEntry['details']): Promise<void> {
    await this.entry?.complete(this.knex, details);
  }

  /** Derives up to `limit` of the stale rows; resolves to how many there were. */
  async deriveStaleRows(limit: number): Promise<number> {
    return await this.alone((trx) =>
      deriveStale(trx, sql`id IN (SELECT id FROM catalog_stale_rows ORDER BY id LIMIT ${limit})`),
    );
  }

  inTransaction<Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> {
    return inTransaction(this.knex, async (trx) => {
      await rowsOf(trx)`SELECT ${SETTINGS}`;
      return await work(trx);
    });
  }

  /** In a transaction that no other writer of records is in. */
  private alone<Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> {
    return this.inTransaction(async (trx) => {
      await rowsOf(trx)`SELECT pg_advisory_xact_lock(${LOCK})`;
      return await work(trx);
    });
  }

  protected entitiesIn(knex: Knex, ids: readonly string[], onlyLive?: boolean) {
    return tables.loadNamed(knex, ids, onlyLive);
  }

  protected async unpricedVariants(trx: Knex, ids: readonly string[]) {
    // One look-up for each key: the planner otherwise reads the whole table for a few thousand of them.
    return await rowsOf<ports.UnpricedVariant>(trx)`
      SELECT given.id, variant.id IS NOT NULL AS known, product_id
      FROM unnest(${ids}::text[]) AS given (id) LEFT JOIN LATERAL (
        SELECT id, product_id FROM variants WHERE id = given.id OFFSET 0) AS variant ON true
      LEFT JOIN LATERAL (SELECT deleted FROM products WHERE id = product_id OFFSET 0) AS product ON true
      WHERE product_id IS NULL OR deleted`;
  }

  /** In a savepoint, which undoes what is refused. */
  protected async write<Kind extends RecordKind>(
    trx: Knex,
    kind: Kind,
    records: readonly WrittenRecords[Kind][],
  ): Promise<void> {
    try {
      await inTransaction(trx, async (savepoint) => {
        await this.#deriveAtOnce(savepoint, kind, await WRITERS[kind](savepoint, records));
      });
    } catch (failure) {
      const refusal = refusedValue(failure);
      throw refusal === null ? failure : new RecordRefusedError(refusal, { cause: failure });
    }
  }

  /** Derives the rows that a write marked stale, if they are few; those that others marked are left to them. */
  async #deriveAtOnce(trx: Knex, kind: RecordKind, stale: readonly string[] = []): Promise<void> {
    if (stale.length === 0 || stale.length > tables.STALE_AT_ONCE) return;
    const isLater = this.derivesLater || this.#derivingMs > DERIVING_MS_MAX;
    if (isLater && kind !== 'categories' && kind !== 'entities') return;
    const startedAt = performance.now();
    await deriveStale(trx, sql`id = ANY(${stale}::text[])`);
    this.#derivingMs += performance.now() - startedAt;
  }
}

/** Total time, as best estimates are searched in all of a large catalog; the rest follow once, at the end of an import. */
const DERIVING_MS_MAX = 500;

/** Writes records; resolves to the rows, if any, that it marked stale, as `markStale` does. */
type Write<Written> = (trx: Knex, records: readonly Written[]) => Promise<readonly string[] | undefined>;

const WRITERS: { readonly [Kind in RecordKind]: Write<WrittenRecords[Kind]> } = {
  categories: writeCategories,
  // Rows hold ids of tags only, so nothing else changes with them.
  tags: async (trx, records) => void (await upsert(trx, tables.SOURCE_TABLES.tags, records)),
  synonyms: async (trx, records) => void (await writeSynonyms(trx, records)),
  entities: writeEntities,
  products: writeProducts,
  estimates: writeEstimates,
  history: async (trx, records) => void (await upsert(trx, tables.SOURCE_TABLES.history, records)),
  listings: async (trx, records) => void (await writeListings(trx, records)),
};

/** SQLSTATE classes of faulty values: data exception, integrity violation, program limit exceeded. */
const VALUE_CLASSES = /^(?:22|23|54)...$/;

/** The database's message for a value that it can't hold, null for any other failure: a fault no check found costs one record. */
function refusedValue(failure: unknown): string | null {
  if (!(failure instanceof Error) || !('code' in failure) || !VALUE_CLASSES.test(String(failure.code)))
    return null;
  // The statement precedes the database's message; a COPY has none.
  const words = failure.message.lastIndexOf(' - ');
  return words < 0 ? failure.message : failure.message.slice(words + 3);
}
