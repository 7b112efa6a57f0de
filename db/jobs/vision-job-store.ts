import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { Module } from '../../models/catalog/catalog-query';
import { type Clock, PORTS, type VisionJobStore } from '../../models/ports';
import type { EntryState } from '../../models/vision/jobs/job-states';
import type { BegunEntry, EntryAnswer, NewJob, VisionJob } from '../../models/vision/jobs/vision-job';
import { inTransaction, rowsOf, type Sql, sql } from '../core/sql';
import { messagesAbout } from '../webhooks/messages-about';
import { type RequestRow, toKeptEntry, toRequestRow } from './kept-request';

interface EntryRow {
  readonly created_at: Date;
  readonly state: EntryState;
  readonly prediction_id: string | null;
  readonly answer_bytes: number | null;
  readonly credits_used: number;
}

interface BegunRow {
  readonly job_id: string;
  readonly position: number;
  readonly tries: number;
  readonly request: RequestRow;
  readonly account_id: string;
  readonly key_id: string;
  readonly includes: readonly Module[];
  readonly base_url: string;
}

const IS_OPEN = sql`state IN ('waiting', 'running')`;

/**
 * Jobs in PostgreSQL. An entry is begun by whoever locks it first; its `tries` tell a process that was taken for dead from
 * the one that took its place.
 */
@injectable()
export class PostgresVisionJobStore implements VisionJobStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  async add({ id, accountId, keyId, includes, baseUrl, entries }: NewJob): Promise<void> {
    const now = this.clock.now();
    const rows = entries.map((entry, position) =>
      'state' in entry
        ? { position, state: entry.state, answer: entry.answer }
        : { position, state: 'waiting', request: toRequestRow(entry) },
    );
    await inTransaction(this.knex, async (transaction) => {
      const added = await rowsOf(
        transaction,
        sql`INSERT INTO vision_jobs (id, account_id, key_id, created_at, includes, base_url)
            VALUES (${id}, ${accountId}, ${keyId}, ${now}, ${includes}::text[], ${baseUrl})
            ON CONFLICT (id) DO NOTHING RETURNING id`,
      );
      if (added.length === 0) return;
      await rowsOf(
        transaction,
        sql`INSERT INTO vision_job_entries (job_id, position, state, request, answer, answer_bytes, due_at)
            SELECT ${id}, position, state, request, answer, octet_length(answer::text), ${now}::timestamptz
            FROM json_to_recordset(${JSON.stringify(rows)}::json)
              AS entry (position smallint, state text, request json, answer json)`,
      );
      await this.tellIfDone(transaction, id);
    });
  }

  async find(accountId: string, id: string): Promise<VisionJob | null> {
    const rows = await rowsOf<EntryRow>(
      this.knex,
      sql`SELECT j.created_at, e.state, e.prediction_id, e.answer_bytes, e.credits_used
          FROM vision_jobs j JOIN vision_job_entries e ON e.job_id = j.id
          WHERE j.id = ${id} AND j.account_id = ${accountId} ORDER BY e.position`,
    );
    const [first] = rows;
    if (!first) return null;
    const entries = rows.map(({ state, prediction_id: predictionId, answer_bytes, credits_used }) => ({
      ...{ state, predictionId, creditsUsed: credits_used },
      answerBytes: answer_bytes ?? 0,
    }));
    return { id, createdAt: first.created_at, entries };
  }

  async answers(id: string, from: number, until: number): Promise<readonly (string | null)[]> {
    const rows = await rowsOf<{ answer: string | null }>(
      this.knex,
      sql`SELECT answer::text FROM vision_job_entries
          WHERE job_id = ${id} AND position >= ${from} AND position < ${until} ORDER BY position`,
    );
    return rows.map(({ answer }) => answer);
  }

  async openEntries(accountId: string): Promise<number> {
    const [line] = await rowsOf<{ open: number }>(
      this.knex,
      sql`SELECT count(*)::int AS open FROM vision_jobs j JOIN vision_job_entries e ON e.job_id = j.id
          WHERE j.account_id = ${accountId} AND ${IS_OPEN}`,
    );
    return line?.open ?? 0;
  }

  async cancel(id: string): Promise<void> {
    await this.changed(
      id,
      sql`WITH job AS (UPDATE vision_jobs SET cancelled = true WHERE id = ${id})
          UPDATE vision_job_entries SET state = 'cancelled', request = NULL
          WHERE job_id = ${id} AND state = 'waiting' RETURNING state`,
    );
  }

  /** The first entry of every job comes before the second of any: nobody waits for a long job of somebody else. */
  async begin(leasedUntil: Date): Promise<BegunEntry | null> {
    const [row] = await rowsOf<BegunRow>(
      this.knex,
      sql`WITH due AS (
            SELECT job_id, position FROM vision_job_entries
            WHERE ${IS_OPEN} AND due_at <= ${this.clock.now()}
            ORDER BY position, due_at LIMIT 1 FOR UPDATE SKIP LOCKED
          )
          UPDATE vision_job_entries e SET state = 'running', tries = tries + 1, due_at = ${leasedUntil}
          FROM due JOIN vision_jobs j ON j.id = due.job_id
          WHERE e.job_id = due.job_id AND e.position = due.position
          RETURNING e.job_id, e.position, e.tries, e.request, j.account_id, j.key_id, j.includes, j.base_url`,
    );
    if (!row) return null;
    const { job_id: jobId, account_id: accountId, key_id: keyId, base_url: baseUrl } = row;
    const { position, tries, includes } = row;
    return { jobId, position, tries, accountId, keyId, includes, baseUrl, entry: toKeptEntry(row.request) };
  }

  async finish(
    { jobId, position, tries }: BegunEntry,
    { state, predictionId, answer }: EntryAnswer,
  ): Promise<boolean> {
    const json = JSON.stringify(answer);
    const finished = await this.changed(
      jobId,
      sql`UPDATE vision_job_entries SET state = ${state}, prediction_id = ${predictionId},
            answer = ${json}::json, answer_bytes = octet_length(${json}::text),
            credits_used = coalesce((${json}::json ->> 'credits_used')::integer, 0), request = NULL
          WHERE job_id = ${jobId} AND position = ${position} AND state = 'running' AND tries = ${tries}
          RETURNING state`,
    );
    return finished > 0;
  }

  async postpone({ jobId, position, tries }: BegunEntry, until: Date): Promise<void> {
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

  /**
   * Changes entries of a job, one such change after the other, and tells of its end with the last one.
   *
   * @param change an UPDATE that returns the states
   * @returns how many entries were changed
   */
  private changed(id: string, change: Sql): Promise<number> {
    return inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction, sql`SELECT FROM vision_jobs WHERE id = ${id} FOR NO KEY UPDATE`);
      const changed = await rowsOf<{ state: EntryState }>(transaction, change);
      if (changed.some(({ state }) => state !== 'waiting')) await this.tellIfDone(transaction, id);
      return changed.length;
    });
  }

  private async tellIfDone(transaction: Knex, id: string): Promise<void> {
    const inState = (state: EntryState) => sql`count(*) FILTER (WHERE state = ${state})`;
    const data = sql`(SELECT json_build_object('id', j.id, 'total', count(*), 'done', ${inState('done')},
        'failed', ${inState('failed')}, 'cancelled', ${inState('cancelled')})
      FROM vision_job_entries WHERE job_id = j.id)`;
    const whose = sql`e.account_id = j.account_id AND j.id = ${id}
      AND NOT EXISTS (SELECT FROM vision_job_entries WHERE job_id = j.id AND ${IS_OPEN})`;
    const message = { data, whose, from: sql`, vision_jobs j` };
    await rowsOf(transaction, messagesAbout('vision.job.done', this.clock.now(), message));
  }

  async deleteOf(accountId: string): Promise<void> {
    await rowsOf(this.knex, sql`DELETE FROM vision_jobs WHERE account_id = ${accountId}`);
  }

  async deleteBefore(time: Date, limit: number): Promise<number> {
    const deleted = await rowsOf(
      this.knex,
      sql`DELETE FROM vision_jobs WHERE id IN (
            SELECT id FROM vision_jobs WHERE created_at < ${time} ORDER BY created_at LIMIT ${limit})
          RETURNING id`,
    );
    return deleted.length;
  }

  async depth(): Promise<{ waiting: number; running: number }> {
    const [line] = await rowsOf<{ waiting: number; running: number }>(
      this.knex,
      sql`SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
            count(*) FILTER (WHERE state = 'running')::int AS running
          FROM vision_job_entries WHERE ${IS_OPEN}`,
    );
    return line ?? { waiting: 0, running: 0 };
  }
}
