import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { type CatalogRecords, PORTS, type RecordStore } from '../../../models/ports';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { isImportAlive } from './import-lock';
import { PostgresRecordStore, WRITER_SETTINGS } from './record-store';

/** The records of the catalog as calls write them, in PostgreSQL. */
@injectable()
export class PostgresCatalogRecords implements CatalogRecords {
  #last: Promise<unknown> = Promise.resolve();

  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  open(): RecordStore {
    return this.#store();
  }

  async isSearchable(id: string): Promise<boolean | null> {
    const [found] = await rowsOf<{ searchable: boolean }>(
      this.knex,
      sql`SELECT EXISTS (SELECT FROM catalog_search WHERE id = ${id}) AS searchable
          WHERE EXISTS (SELECT FROM products WHERE id = ${id} AND NOT deleted)
            OR EXISTS (SELECT FROM entities WHERE id = ${id} AND NOT deleted)
            OR EXISTS (SELECT FROM categories WHERE id = ${id})`,
    );
    return found?.searchable ?? null;
  }

  async deriveStaleRows(limit: number): Promise<number> {
    return (await isImportAlive(this.knex)) ? 0 : await this.#store().deriveStaleRows(limit);
  }

  #store(): PostgresRecordStore {
    return new PostgresRecordStore(this.knex, (work) => this.#next(work));
  }

  /** One after the other: who waits for the lock of all writers holds a connection, which readers of this process want. */
  #next<Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> {
    const turn = this.#last
      .catch(() => undefined)
      .then(() =>
        inTransaction(this.knex, async (trx) => {
          await rowsOf(trx, sql`SELECT ${WRITER_SETTINGS}`);
          return await work(trx);
        }),
      );
    this.#last = turn;
    return turn;
  }
}
