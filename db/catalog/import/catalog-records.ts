import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import {
  type AuditEntry,
  type CatalogRecords,
  type Clock,
  type FoundRecord,
  PORTS,
  type ReadRecord,
  type RecordStore,
} from '../../../models/ports';
import { BegunEntry } from '../../accounts/audit-log';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { countStale, loadCategories, loadEntities, loadProducts, type Stored } from './catalog-tables';
import { isImportAlive } from './import-lock';
import { type InTransaction, PostgresRecordStore, WRITER_SETTINGS } from './record-store';

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
