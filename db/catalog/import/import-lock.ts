import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { inTransaction, rowsOf, sql } from '../../core/sql';
import { WRITER_SETTINGS } from './record-store';

/** Said to whoever wants to import while another import runs. */
export class ImportRunningError extends Error {
  constructor(holder: { host: string; process_id: number; started_at: Date }) {
    const since = holder.started_at.toISOString();
    super(
      `Another import runs since ${since} (process ${holder.process_id} on ${holder.host}). Start this one again when it is done.`,
    );
    this.name = 'ImportRunningError';
  }
}

interface Holder {
  readonly holder: string;
  readonly host: string;
  readonly process_id: number;
  readonly started_at: Date;
  /** As text: a `Date` would round the microseconds away. */
  readonly heartbeat: string;
  /** Whether it is too old for a living holder, or of the future, by the clock of the database, which wrote it. */
  readonly stopped: boolean;
}

/**
 * For the transaction only: no limit on statements, as a large catalog takes long. A commit does not wait for the disk:
 * what a crash of the server takes back is done again by starting the import again, and the end of the import waits for
 * all of it (`release`).
 */
const SETTINGS = sql`${WRITER_SETTINGS}, set_config('statement_timeout', '0', true),
  set_config('synchronous_commit', 'off', true)`;

const LOST = 'This import stood still and another one took its place.';
const HEARTBEAT_MS = 2_000;
const POLL_MS = 250;
/** A heart that did not beat for this long has stopped. */
const STOPPED_SECONDS = 10;

/**
 * The right to change the catalog, held by one import at a time: a row in the database, so that it holds between
 * hosts and on the embedded database, whose clients share one session. It falls to the next import when its holder
 * died: at once when that was on this host, else when its heartbeat has stood still for a while. A holder that lost
 * it can write nothing more, because every transaction of an import goes through it.
 */
export class ImportLock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly knex: Knex,
    private readonly holder: string,
  ) {
    this.timer = setInterval(() => void this.beat().catch(() => undefined), HEARTBEAT_MS).unref();
  }

  /** @throws ImportRunningError when another import is alive */
  static async acquire(knex: Knex): Promise<ImportLock> {
    const holder = randomUUID();
    for (;;) {
      if (await insertHolder(knex, holder)) return new ImportLock(knex, holder);
      const other = await currentHolder(knex);
      if (!other) continue;
      if (await isAlive(knex, other)) throw new ImportRunningError(other);
      await removeHolder(knex, other);
    }
  }

  /** A transaction of the import: all of it or nothing. The heart beats beside it. @throws Error when the lock was lost */
  async transaction<Result>(work: (trx: Knex) => Promise<Result>): Promise<Result> {
    return await inTransaction(this.knex, async (trx) => {
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
    await this.knex('catalog_import_lock').where({ holder: this.holder }).delete();
  }

  private async beat(): Promise<void> {
    await rowsOf(
      this.knex,
      sql`UPDATE catalog_import_lock SET heartbeat_at = clock_timestamp() WHERE holder = ${this.holder}`,
    );
  }
}

/** Whether an import runs, as far as its heart tells. */
export async function isImportAlive(knex: Knex): Promise<boolean> {
  const holder = await currentHolder(knex);
  return holder !== undefined && !holder.stopped;
}

async function insertHolder(knex: Knex, holder: string): Promise<boolean> {
  const inserted = await rowsOf(
    knex,
    sql`INSERT INTO catalog_import_lock (holder, host, process_id) VALUES (${holder}, ${hostname()}, ${process.pid})
        ON CONFLICT DO NOTHING RETURNING holder`,
  );
  return inserted.length > 0;
}

async function currentHolder(knex: Knex): Promise<Holder | undefined> {
  const [holder] = await rowsOf<Holder>(
    knex,
    sql`SELECT holder, host, process_id, started_at, heartbeat_at::text AS heartbeat,
          abs(extract(epoch FROM clock_timestamp() - heartbeat_at)) > ${STOPPED_SECONDS} AS stopped
        FROM catalog_import_lock`,
  );
  return holder;
}

/** Unless its heart beat after all: a long transaction hides the beats until it ends, and is waited for here. */
async function removeHolder(knex: Knex, { holder, heartbeat }: Holder): Promise<void> {
  await rowsOf(
    knex,
    sql`DELETE FROM catalog_import_lock WHERE holder = ${holder} AND heartbeat_at::text = ${heartbeat}`,
  );
}

/** Whether the holder's heart beats again, or another one took its place. */
async function isAlive(knex: Knex, other: Holder): Promise<boolean> {
  if (other.host === hostname() && !isProcess(other.process_id)) return false;
  for (let now: Holder | undefined = other; now?.holder === other.holder; now = await currentHolder(knex)) {
    if (now.heartbeat !== other.heartbeat) return true;
    if (now.stopped) return false;
    await delay(POLL_MS);
  }
  return false;
}

function isProcess(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (failure) {
    // EPERM: it lives and belongs to somebody else.
    return failure instanceof Error && 'code' in failure && failure.code !== 'ESRCH';
  }
}
