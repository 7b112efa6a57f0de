import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type SearchMiss, type SearchMissStore, type SearchMissSum } from '../../models/ports';
import { inTransaction, rowsOf } from '../core/sql';

const TEXTS_MAX = 1_000;

@injectable()
export class PostgresSearchMissStore implements SearchMissStore {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async add(day: string, misses: readonly SearchMiss[]): Promise<void> {
    await inTransaction(this.knex, async (trx) => {
      // Only one process at a time counts the day's rows.
      await rowsOf(trx)`LOCK TABLE search_misses IN SHARE ROW EXCLUSIVE MODE`;
      await rowsOf(trx)`INSERT INTO search_misses AS old (day, query, misses)
        SELECT ${day}::date, query, misses FROM (
          SELECT given.*, known.query IS NOT NULL AS is_known,
            row_number() OVER (PARTITION BY known.query IS NULL ORDER BY given.misses DESC, given.query) AS place
          FROM unnest(${misses.map(({ query }) => query)}::text[], ${misses.map((each) => each.misses)}::integer[])
            AS given (query, misses)
          LEFT JOIN search_misses known ON known.day = ${day}::date AND known.query = given.query) AS placed
        WHERE is_known
          OR place <= ${TEXTS_MAX}::bigint - (SELECT count(*) FROM search_misses WHERE day = ${day}::date)
        ON CONFLICT (day, query) DO UPDATE SET misses = old.misses + excluded.misses`;
    });
  }

  mostFrequent(since: Date | null, limit: number): Promise<readonly SearchMissSum[]> {
    return rowsOf<SearchMissSum>(this.knex)`
      SELECT query, sum(misses)::bigint AS misses, max(day)::text AS "lastDay" FROM search_misses
      WHERE day >= coalesce((${since}::timestamptz AT TIME ZONE 'UTC')::date, '-infinity')
      GROUP BY query ORDER BY sum(misses) DESC, query LIMIT ${limit}`;
  }
}
