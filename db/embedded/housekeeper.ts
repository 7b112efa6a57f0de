import { Client } from 'pg';
import { messageOf } from '../../models/errors';
import type { Engine } from './engine';
import { clientOptions } from './run-folder';
import { HOUSEKEEPER_NAME } from './wire-server';

/** A checkpoint follows the last one after this much log: it bounds the log's size and the time of a recovery. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;

const HOUSEKEEPING_MS = 10_000;

/** The rule of PostgreSQL's own autovacuum with its default thresholds, also for system catalogs; the most worn tables first. */
const WORN_TABLES = `
  select format('%I.%I', s.schemaname, s.relname) as name,
         s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) as dead
  from pg_stat_all_tables s join pg_class c on c.oid = s.relid
  where s.schemaname !~ '^pg_toast' and (s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
     or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0))
  order by s.n_dead_tup + s.n_mod_since_analyze desc`;

const LOG_SINCE_CHECKPOINT =
  'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()';

/** Replaces PostgreSQL's background processes: checkpoints, vacuum, statistics. Works only while the database is idle, as others wait. */
export class Housekeeper {
  private timer: NodeJS.Timeout | undefined;
  private turnsSeen = 0;

  constructor(
    private readonly socketFolder: string,
    private readonly turns: Pick<Engine, 'isBusy' | 'turnsGranted'>,
    private readonly log: (line: string) => void,
  ) {}

  start(): void {
    this.timer = setTimeout(() => void this.run().finally(() => this.timer && this.start()), HOUSEKEEPING_MS);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** One round: does what is due, if anybody has used the database since the last. */
  async run(): Promise<void> {
    if (this.turns.isBusy || this.turns.turnsGranted === this.turnsSeen) return;
    try {
      await this.tidy();
    } catch (error) {
      this.log(`housekeeping failed: ${messageOf(error)}`);
    }
    this.turnsSeen = this.turns.turnsGranted;
  }

  private async tidy(): Promise<void> {
    const client = new Client({ ...clientOptions(this.socketFolder), application_name: HOUSEKEEPER_NAME });
    await client.connect();
    try {
      const since = await client.query<{ bytes: number }>(LOG_SINCE_CHECKPOINT);
      if ((since.rows[0]?.bytes ?? 0) > LOG_BYTES_MAX) await client.query('checkpoint');
      const worn = await client.query<{ name: string; dead: boolean }>(WORN_TABLES);
      for (const { name, dead } of worn.rows) {
        if (this.turns.isBusy) break;
        await client.query(dead ? `vacuum (analyze) ${name}` : `analyze ${name}`);
      }
    } finally {
      await client.end();
    }
  }
}
