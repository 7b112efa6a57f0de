import type { Knex } from 'knex';
import {
  type EntityRecord,
  type RecordKind,
  RecordRefusedError,
  type WrittenRecords,
} from '../../../models/catalog/import/records';
import type { RecordTransaction, VariantOwner } from '../../../models/ports';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { upsert } from '../../core/staging';
import { writeEstimates } from './best-estimates';
import { loadEntityRecords, SOURCE_TABLES, STALE_AT_ONCE, taxonomyVersion } from './catalog-tables';
import { refusedValue } from './data-refusal';
import { deriveNoted, deriveRows, type Vocabulary } from './derived-rows';
import { writeCategories, writeEntities, writeProducts, writeSynonyms } from './write-records';

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
