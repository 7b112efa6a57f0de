import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { Owner } from '../../models/access/api-key';
import { visionPrice } from '../../models/access/credits';
import { type Clock, PORTS, type VisionJobStore } from '../../models/ports';
import { PAUSE_MAX_MS } from '../../models/retries';
import { PHOTOS_MAX, type Region } from '../../models/vision/image-input';
import type * as jobs from '../../models/vision/jobs/vision-job';
import { insertMessages, isPast, lockAccount } from '../core/shared-clauses';
import { inTransaction, rowsOf, type Sql, sql } from '../core/sql';

type EntryRow = jobs.VisionJob['entries'][number] & Pick<jobs.VisionJob, 'createdAt'>;
/** A photo in the column `request`: an address, or a prepared picture in base64. */
type PhotoRow =
  | { readonly url: string; readonly region?: Region; readonly index?: number }
  | { readonly jpeg: string; readonly digest: string };

type RequestRow = Omit<jobs.KeptEntry, 'photos'> & { readonly photos: readonly PhotoRow[] };

type BegunRow = Omit<jobs.LeasedEntry, 'entry'> & { readonly request: RequestRow };

/** Of any entry: the price of one is in its request, which may be large. */
const ENTRY_PRICE_MAX = visionPrice(true, Array(PHOTOS_MAX));
const IS_OPEN = sql`state IN ('waiting', 'running')`;

/** The first process to lock an entry begins it; `tries` distinguish a process wrongly considered dead from its successor. */
@injectable()
export class PostgresVisionJobStore implements VisionJobStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  async add(
    { id, accountId, test, keyId, includes, baseUrl, entries }: jobs.NewJob,
    openMax: number,
  ): Promise<boolean> {
    const now = this.clock.now();
    const rows = entries.map((entry, position) =>
      'state' in entry
        ? { position, state: entry.state, answer: entry.answer }
        : { position, state: 'waiting', request: toRequestRow(entry) },
    );
    return inTransaction(this.knex, async (transaction) => {
      const added = await rowsOf(transaction)`
        INSERT INTO vision_jobs (id, account_id, test, key_id, created_at, includes, base_url)
        VALUES (${id}, ${accountId}, ${test}, ${keyId}, ${now}, ${includes}::text[], ${baseUrl})
        ON CONFLICT (id) DO NOTHING RETURNING id`;
      if (added.length === 0) return true;
      await rowsOf(transaction)`
        INSERT INTO vision_job_entries (job_id, account_id, position, state, request, answer, answer_bytes, due_at)
        SELECT ${id}, ${accountId}, position, state, request, answer, octet_length(answer::text), ${now}::timestamptz
        FROM json_to_recordset(${JSON.stringify(rows)}::json)
          AS entry (position smallint, state text, request json, answer json)`;
      await lockAccount(transaction, accountId);
      if ((await openOf(transaction, { accountId, test })) > openMax) {
        await rowsOf(transaction)`DELETE FROM vision_jobs WHERE id = ${id}`;
        return false;
      }
      await rowsOf(transaction)`
        UPDATE accounts SET jobs_turn = 0 WHERE id = ${accountId} AND jobs_turn IS NULL`;
      await this.notifyIfDone(transaction, id);
      return true;
    });
  }

  async find({ accountId, test }: Owner, id: string): Promise<jobs.VisionJob | null> {
    const rows = await rowsOf<EntryRow>(this.knex)`
      SELECT j.created_at AS "createdAt", state, prediction_id AS "predictionId", credits_used AS "creditsUsed",
        coalesce(answer_bytes, 0) AS "answerBytes"
      FROM vision_jobs j JOIN vision_job_entries e ON e.job_id = j.id
      WHERE j.id = ${id} AND j.account_id = ${accountId} AND j.test = ${test} ORDER BY e.position`;
    const [first] = rows;
    if (!first) return null;
    return { id, createdAt: first.createdAt, entries: rows.map(({ createdAt, ...entry }) => entry) };
  }

  async answers(id: string, from: number, until: number): Promise<readonly (string | null)[]> {
    const rows = await rowsOf<{ answer: string | null }>(this.knex)`
      SELECT answer::text FROM vision_job_entries
      WHERE job_id = ${id} AND position >= ${from} AND position < ${until} ORDER BY position`;
    return rows.map(({ answer }) => answer);
  }

  openEntries(owner: Owner): Promise<number> {
    return openOf(this.knex, owner);
  }

  async cancel(id: string): Promise<void> {
    await this.changed(
      id,
      sql`WITH job AS (UPDATE vision_jobs SET cancelled = true WHERE id = ${id})
          UPDATE vision_job_entries SET state = 'cancelled', request = NULL
          WHERE job_id = ${id} AND state = 'waiting' RETURNING state`,
    );
  }

  /**
   * Takes the first account in turn with a due entry that nobody locks; first entries of its jobs come first. An account of which
   * calls hold credits needs enough others for any entry, unless the process of the entry died, which may hold its own.
   */
  async begin(leaseMs: number, without: readonly string[] = []): Promise<jobs.LeasedEntry | null> {
    const now = this.clock.now();
    const [row] = await rowsOf<BegunRow>(this.knex)`
      WITH turns AS MATERIALIZED (
        SELECT id, held = 0 OR credits - held >= ${ENTRY_PRICE_MAX} AS covered FROM accounts
        WHERE jobs_turn IS NOT NULL AND id <> ALL(${without}::text[]) ORDER BY jobs_turn, id
      ), due AS (
        SELECT e.* FROM turns CROSS JOIN LATERAL (
          SELECT job_id, position, account_id FROM vision_job_entries
          WHERE account_id = turns.id AND ${IS_OPEN} AND ${isPast(sql`due_at`, now, aheadMax(leaseMs))}
            AND (turns.covered OR state = 'running')
          ORDER BY position, due_at LIMIT 1 FOR UPDATE SKIP LOCKED) e
        LIMIT 1
      ), turn AS (
        UPDATE accounts SET jobs_turn = (SELECT max(jobs_turn) + 1 FROM accounts)
        WHERE id IN (SELECT account_id FROM due)
      )
      UPDATE vision_job_entries e SET state = 'running', tries = tries + 1,
        due_at = ${new Date(now.getTime() + leaseMs)}
      FROM due JOIN vision_jobs j ON j.id = due.job_id
      WHERE e.job_id = due.job_id AND e.position = due.position
      RETURNING e.job_id AS "jobId", e.position, e.tries, e.request, j.account_id AS "accountId",
        j.key_id AS "keyId", j.includes, j.base_url AS "baseUrl"`;
    if (!row) return null;
    const { request, ...begun } = row;
    return { ...begun, entry: toKeptEntry(request) };
  }

  async finish(
    { jobId, position, tries }: jobs.LeasedEntry,
    { state, predictionId, answer }: jobs.EntryAnswer,
  ): Promise<boolean> {
    const json = JSON.stringify(answer);
    // PostgreSQL cannot look into JSON with an escaped NUL, which data of a shop may have (contract 1.10).
    const { credits_used: creditsUsed = 0 } = answer as { readonly credits_used?: number };
    const finished = await this.changed(
      jobId,
      sql`UPDATE vision_job_entries SET state = ${state}, prediction_id = ${predictionId},
            answer = ${json}::json, answer_bytes = octet_length(${json}::text),
            credits_used = ${creditsUsed}, request = NULL
          WHERE job_id = ${jobId} AND position = ${position} AND state = 'running' AND tries = ${tries}
          RETURNING state`,
    );
    return finished !== 0;
  }

  async postpone({ jobId, position, tries }: jobs.LeasedEntry, until: Date): Promise<void> {
    await this.changed(
      jobId,
      sql`UPDATE vision_job_entries e SET due_at = ${until},
            state = CASE WHEN j.cancelled THEN 'cancelled' ELSE 'waiting' END,
            request = CASE WHEN j.cancelled THEN NULL ELSE request END
          FROM vision_jobs j
          WHERE j.id = e.job_id AND e.job_id = ${jobId} AND e.position = ${position}
            AND e.state = 'running' AND e.tries = ${tries}
          RETURNING e.state`,
    );
  }

  /** Serialises changes of a job, and reports its end to webhooks. @param change an UPDATE that returns the states @returns how many changed; null if the job is deleted */
  private changed(id: string, change: Sql): Promise<number | null> {
    return inTransaction(this.knex, async (transaction) => {
      const job = await rowsOf(transaction)`SELECT FROM vision_jobs WHERE id = ${id} FOR NO KEY UPDATE`;
      if (job.length === 0) return null;
      const changed = await rowsOf<{ state: jobs.EntryState }>(transaction, change);
      if (changed.some(({ state }) => state !== 'waiting')) await this.notifyIfDone(transaction, id);
      return changed.length;
    });
  }

  private async notifyIfDone(transaction: Knex, id: string): Promise<void> {
    const inState = (state: jobs.EntryState) => sql`count(*) FILTER (WHERE state = ${state})`;
    const data = sql`(SELECT json_build_object('id', j.id, 'total', count(*), 'done', ${inState('done')},
        'failed', ${inState('failed')}, 'cancelled', ${inState('cancelled')})
      FROM vision_job_entries WHERE job_id = j.id)`;
    const whose = sql`e.account_id = j.account_id AND e.test = j.test AND j.id = ${id}
      AND NOT EXISTS (SELECT FROM vision_job_entries WHERE job_id = j.id AND ${IS_OPEN})`;
    const message = { data, whose, from: sql`, vision_jobs j` };
    await rowsOf(transaction, insertMessages('vision.job.done', this.clock.now(), message));
  }

  async deleteOf(accountId: string): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM vision_jobs WHERE account_id = ${accountId}`;
  }

  async depth(): Promise<{ waiting: number; running: number }> {
    const [line] = await rowsOf<{ waiting: number; running: number }>(this.knex)`
      SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
        count(*) FILTER (WHERE state = 'running')::int AS running
      FROM vision_job_entries WHERE ${IS_OPEN}`;
    return line ?? { waiting: 0, running: 0 };
  }
}

/** Entries of an owner that have no answer yet. */
async function openOf(knex: Knex, { accountId, test }: Owner): Promise<number> {
  const [line] = await rowsOf<{ open: number }>(knex)`
    SELECT count(*)::int AS open FROM vision_job_entries e JOIN vision_jobs j ON j.id = e.job_id
    WHERE e.account_id = ${accountId} AND j.test = ${test} AND ${IS_OPEN}`;
  return line?.open ?? 0;
}

/** How far ahead an open entry's time can be: a lease once it is begun, a pause once it has failed. */
const aheadMax = (leaseMs: number): Sql =>
  sql`CASE WHEN state = 'running' THEN ${leaseMs}::integer WHEN tries = 0 THEN 0 ELSE ${PAUSE_MAX_MS}::integer END`;

const toRequestRow = ({ photos, ...asked }: jobs.KeptEntry): RequestRow => ({
  ...asked,
  photos: photos.map((photo) => {
    if (photo.kind === 'prepared') {
      const { jpeg, digest } = photo.image;
      return { jpeg: jpeg.toString('base64'), digest };
    }
    const { url, region, index } = photo;
    return { url: url.href, ...(region ? { region } : {}), ...(index === undefined ? {} : { index }) };
  }),
});

const toKeptEntry = ({ photos, ...asked }: RequestRow): jobs.KeptEntry => ({
  ...asked,
  photos: photos.map((photo) =>
    'url' in photo
      ? { kind: 'url', ...photo, url: new URL(photo.url) }
      : { kind: 'prepared', image: { ...photo, jpeg: Buffer.from(photo.jpeg, 'base64') } },
  ),
});
