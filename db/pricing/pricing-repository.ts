import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type PricingRepository } from '../../models/ports';
import type { DataFile, DataFileKind } from '../../models/pricing/estimate';
import { rowsOf, type Sql, sql } from '../core/sql';

type Cell = string | number | null;

/** Rows read at once, which bounds the memory for a file of any length. */
const CHUNK_ROWS = 500;

/** A row as it is read. Dates are texts, so that no time zone can move them; `tie` orders rows of the same date. */
type FileRow = { readonly date: string | null; readonly tie: string } & Readonly<Record<string, Cell>>;

interface FileKind {
  readonly columns: readonly string[];
  /** The rows that come after `last` in the file, the first ones when there is no last. */
  next(file: DataFile, last: FileRow | null): Sql;
}

const FILE_KINDS: Readonly<Record<DataFileKind, FileKind>> = {
  historical_estimates: {
    columns: ['date', 'source', 'a', 'b', 'c', 'd', 'currency', 'confidence'],
    next: (file, last) => sql`
      SELECT to_char(h.date, 'YYYY-MM-DD') AS date, source AS tie, source, a, b, c, d, currency, confidence
      FROM estimate_history h WHERE variant_id = ${file.variantId} AND region = ${file.region}
        AND ${last ? sql`(h.date, source) > (${last.date}::date, ${last.tie})` : sql`true`}
      ORDER BY h.date, source LIMIT ${CHUNK_ROWS}`,
  },
  pricing_data: {
    columns: ['link', 'variant_name', 'vendor', 'price', 'currency', 'date'],
    // Rows without a date count as the oldest.
    next: (file, last) => sql`
      SELECT to_char(l.date, 'YYYY-MM-DD') AS date, link AS tie, link, variant_name, vendor, price, currency
      FROM (SELECT *, coalesce(date, '-infinity') AS day FROM listings) AS l
      WHERE variant_id = ${file.variantId} AND region = ${file.region} AND ${last ? olderThan(last) : sql`true`}
      ORDER BY day DESC, link LIMIT ${CHUNK_ROWS}`,
  },
};

const olderThan = ({ date, tie }: FileRow): Sql =>
  sql`(day < ${date ?? '-infinity'}::date OR day = ${date ?? '-infinity'}::date AND link > ${tie})`;

@injectable()
export class PostgresPricingRepository implements PricingRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  /**
   * The rows of a data file: history oldest first, then by source; listings newest first, then by link (contract 2.8). Read in
   * chunks rather than through a cursor: a slow download holds neither a connection nor a snapshot.
   */
  async *fileRows(file: DataFile): AsyncGenerator<readonly Cell[]> {
    const { columns, next } = FILE_KINDS[file.kind];
    let last: FileRow | null = null;
    do {
      const rows: FileRow[] = await rowsOf<FileRow>(this.knex, next(file, last));
      for (const row of rows) yield columns.map((column) => row[column] ?? null);
      last = rows.length < CHUNK_ROWS ? null : (rows.at(-1) ?? null);
    } while (last !== null);
  }
}
