import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { rowsOf, sql } from '../../db/core/sql';
import type { Neighbour } from '../../models/vision/neighbours';
import type { ApiClient } from '../support/api-client';

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

/** Calls must be answered by a version live meanwhile, and one photo under one version by the same nearest image (contract 14.6). */
export class AnswerLog {
  readonly #calls: Call[] = [];
  readonly #periods: Period[] = [];

  constructor(private readonly knex: Knex) {}

  async identify(api: ApiClient, photo: number, jpeg: Buffer): Promise<void> {
    const [requestId, sentAt] = [randomUUID(), Date.now()];
    const sending = { body: { base64: jpeg.toString('base64') }, headers: { 'X-Request-Id': requestId } };
    const { status } = await api
      .send('POST', '/v3/vision/identify', sending)
      .catch(() => ({ status: 0 }) as const);
    this.#calls.push({ requestId, photo, sentAt, endedAt: Date.now(), status });
  }

  /** Call it at the beginning, and after every switch. */
  async noteLive(): Promise<void> {
    const live = await this.knex('embedding_versions')
      .where({ state: 'live' })
      .first<{ id: number; promoted_at: Date }>();
    const last = this.#periods.at(-1);
    if (last?.versionId === live.id) return;
    if (last) last.until = Date.now();
    const from = live.promoted_at.getTime();
    this.#periods.push({ versionId: live.id, from, until: Number.POSITIVE_INFINITY });
  }

  async audit(): Promise<{ faults: string[]; versions: number }> {
    const rows = await rowsOf<{ requestId: string; versionId: number; neighbours: Neighbour[] }>(
      this.knex,
      sql`SELECT request_id AS "requestId", version_id AS "versionId", neighbours FROM predictions
          WHERE request_id = ANY(${this.#calls.map(({ requestId }) => requestId)}::text[])`,
    );
    const predictions = new Map(rows.map((row) => [row.requestId, row]));
    const faults: string[] = [];
    const seen = new Map<string, string>();
    const versions = new Set<number>();
    for (const { requestId, photo, status, sentAt, endedAt } of this.#calls) {
      const prediction = predictions.get(requestId);
      if (status !== 200 || !prediction) {
        faults.push(`${requestId}: status ${status}, ${prediction ? 'a' : 'no'} prediction`);
        continue;
      }
      const { versionId, neighbours } = prediction;
      const [first] = neighbours;
      versions.add(versionId);
      const wasLive = this.#periods.some(
        (period) => period.versionId === versionId && period.from <= endedAt && period.until >= sentAt,
      );
      if (!wasLive) faults.push(`${requestId}: version ${versionId} was not live then`);
      const key = `photo ${photo}, version ${versionId}`;
      const nearest = first ? `${first.imageId} at ${first.distance.toFixed(4)}` : 'nothing';
      const known = seen.get(key) ?? nearest;
      seen.set(key, known);
      if (known !== nearest) faults.push(`${requestId}: ${key} had ${known} and has ${nearest}`);
    }
    return { faults, versions: versions.size };
  }
}
