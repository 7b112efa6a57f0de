import { randomUUID } from 'node:crypto';
import { rowsOf, sql } from '../../../db/core/sql';
import { embeddingsOf } from '../../../db/embeddings/embedding-tables';
import type { Neighbour } from '../../../models/vision/neighbours';
import type { Knex } from './installation';

/** One photo that was sent, and what became of it. */
interface Call {
  readonly requestId: string;
  readonly photo: number;
  readonly sentAt: number;
  readonly endedAt: number;
  /** 0 for no answer. */
  readonly status: number;
}

/** When a version was live, in epoch milliseconds; `until` is when its successor surely was. */
interface Period {
  readonly versionId: number;
  readonly from: number;
  until: number;
}

/**
 * Photos sent while versions are built and switched, and whether what was answered is what may be: every call has its
 * answer, every answer is of a version that was live at that moment, and the same photo under the same version has
 * the same nearest image at the same distance, whenever it was asked. An answer that mixed vectors of two versions has not.
 */
export class AnswerLog {
  readonly #calls: Call[] = [];
  readonly #periods: Period[] = [];

  constructor(private readonly knex: Knex) {}

  get calls(): readonly Call[] {
    return this.#calls;
  }

  /** Sends a photo to an api; the answer of a success comes with what is kept of the call. */
  async identify(
    url: string,
    key: string,
    photo: number,
    jpeg: Buffer,
  ): Promise<Call & { readonly answer: unknown }> {
    const requestId = randomUUID();
    const sentAt = Date.now();
    const { status, answer } = await fetch(`${url}/v3/vision/identify`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: JSON.stringify({ base64: jpeg.toString('base64') }),
    }).then(
      async (response) => {
        const text = await response.text();
        return { status: response.status, answer: response.ok ? (JSON.parse(text) as unknown) : undefined };
      },
      () => ({ status: 0, answer: undefined }),
    );
    const call = { requestId, photo, sentAt, endedAt: Date.now(), status };
    this.#calls.push(call);
    return { ...call, answer };
  }

  /** Call it at the begin, and after every switch. */
  async noteLive(): Promise<number> {
    const [live] = await rowsOf<{ id: number; since: Date }>(
      this.knex,
      sql`SELECT id, promoted_at AS since FROM embedding_versions WHERE state = 'live'`,
    );
    if (!live) throw new Error('nothing is live');
    const last = this.#periods.at(-1);
    if (last?.versionId === live.id) return live.id;
    if (last) last.until = Date.now();
    this.#periods.push({ versionId: live.id, from: live.since.getTime(), until: Number.POSITIVE_INFINITY });
    return live.id;
  }

  /** Every promise that was not kept, in words; and how many answers each version gave. */
  async audit(): Promise<{ faults: string[]; answersByVersion: ReadonlyMap<number, number> }> {
    const faults: string[] = [];
    const predictions = await this.#predictions();
    const seen = new Map<string, string>();
    const answersByVersion = new Map<number, number>();
    for (const { requestId, photo, status, sentAt, endedAt } of this.#calls) {
      if (status !== 200) {
        faults.push(`${requestId}: status ${status}`);
        continue;
      }
      const prediction = predictions.get(requestId);
      if (!prediction) {
        faults.push(`${requestId}: no prediction`);
        continue;
      }
      const { versionId, nearest } = prediction;
      answersByVersion.set(versionId, (answersByVersion.get(versionId) ?? 0) + 1);
      if (!this.#wasLive(versionId, sentAt, endedAt))
        faults.push(`${requestId}: version ${versionId} was not live then`);
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

  #wasLive(versionId: number, sentAt: number, endedAt: number): boolean {
    return this.#periods.some(
      (period) => period.versionId === versionId && period.from <= endedAt && period.until >= sentAt,
    );
  }
}

/** What is not as it must be after a build: each image has all its views, once. */
export async function coverageFaults(knex: Knex, versionId: number, images: number): Promise<string[]> {
  const [line] = await rowsOf<{ images: number; uneven: number }>(
    knex,
    sql`SELECT count(*) AS images, count(*) FILTER (WHERE views <> most) AS uneven FROM (
          SELECT count(*) AS views, max(count(*)) OVER () AS most FROM ${embeddingsOf(versionId)} GROUP BY image_id
        ) AS counted`,
  );
  const [embedded, uneven] = [Number(line?.images ?? 0), Number(line?.uneven ?? 0)];
  return [
    ...(embedded === images ? [] : [`${embedded} of ${images} images`]),
    ...(uneven === 0 ? [] : [`${uneven} images without all views`]),
  ];
}
