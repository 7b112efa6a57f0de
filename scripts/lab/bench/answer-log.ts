import { randomUUID } from 'node:crypto';
import { rowsOf, sql } from '../../../db/core/sql';
import type { Neighbour } from '../../../models/vision/neighbours';
import type { Knex } from './installation';
import { Client, type HttpAnswer } from './load';

/** A photo that was sent; status 0 for no answer. */
interface Call {
  readonly requestId: string;
  readonly photo: number;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly status: number;
}

/** When a version was live, in epoch milliseconds; `until` is when its successor surely was. */
interface Period {
  readonly versionId: number;
  readonly from: number;
  until: number;
}

/**
 * Photos sent while versions are built and switched. Every call must be answered, by a version that was live meanwhile, and the same
 * photo under the same version must have the same nearest image at the same distance (contract 14.6).
 */
export class AnswerLog {
  readonly #calls: Call[] = [];
  readonly #periods: Period[] = [];

  constructor(private readonly knex: Knex) {}

  async identify(url: string, key: string, photo: number, jpeg: Buffer): Promise<HttpAnswer> {
    const [requestId, sentAt] = [randomUUID(), Date.now()];
    const body = { base64: jpeg.toString('base64') };
    const headers = { 'x-request-id': requestId };
    const answer = await new Client(url, key).send('POST', '/v3/vision/identify', body, headers);
    this.#calls.push({ requestId, photo, sentAt, endedAt: Date.now(), status: answer.status });
    return answer;
  }

  /** Call it at the beginning, and after every switch. */
  async noteLive(): Promise<void> {
    const [live] = await rowsOf<{ id: number; since: Date }>(
      this.knex,
      sql`SELECT id, promoted_at AS since FROM embedding_versions WHERE state = 'live'`,
    );
    if (!live) throw new Error('nothing is live');
    const last = this.#periods.at(-1);
    if (last?.versionId === live.id) return;
    if (last) last.until = Date.now();
    this.#periods.push({ versionId: live.id, from: live.since.getTime(), until: Number.POSITIVE_INFINITY });
  }

  /** What went wrong, in words, and how many answers each version gave. */
  async audit(): Promise<{ faults: string[]; answersByVersion: ReadonlyMap<number, number> }> {
    const faults: string[] = [];
    const predictions = await this.#predictions();
    const seen = new Map<string, string>();
    const answersByVersion = new Map<number, number>();
    for (const { requestId, photo, status, sentAt, endedAt } of this.#calls) {
      const prediction = predictions.get(requestId);
      if (status !== 200 || !prediction) {
        faults.push(`${requestId}: status ${status}, ${prediction ? 'a' : 'no'} prediction`);
        continue;
      }
      const { versionId, nearest } = prediction;
      answersByVersion.set(versionId, (answersByVersion.get(versionId) ?? 0) + 1);
      const wasLive = this.#periods.some(
        (period) => period.versionId === versionId && period.from <= endedAt && period.until >= sentAt,
      );
      if (!wasLive) faults.push(`${requestId}: version ${versionId} was not live then`);
      const key = `photo ${photo}, version ${versionId}`;
      const known = seen.get(key) ?? nearest;
      seen.set(key, known);
      if (known !== nearest) faults.push(`${requestId}: ${key} had ${known} and has ${nearest}`);
    }
    return { faults, answersByVersion };
  }

  async #predictions(): Promise<ReadonlyMap<string, { versionId: number; nearest: string }>> {
    const rows = await rowsOf<{ requestId: string; versionId: number; neighbours: Neighbour[] }>(
      this.knex,
      sql`SELECT request_id AS "requestId", version_id AS "versionId", neighbours FROM predictions
          WHERE request_id = ANY(${this.#calls.map(({ requestId }) => requestId)}::text[])`,
    );
    return new Map(
      rows.map(({ requestId, versionId, neighbours: [first] }) => [
        requestId,
        { versionId, nearest: first ? `${first.imageId} at ${first.distance.toFixed(4)}` : 'nothing' },
      ]),
    );
  }
}
