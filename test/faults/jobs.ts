import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { rowsOf, sql } from '../../db/core/sql';
import { signedHeaders } from '../../models/webhooks/message-signature';
import type { ReceivedMessage } from '../support/local-server';
import type { Payer } from './books';
import type { Installation } from './installation';
import { judged, type Outcome, type Pace, runClients } from './load';

/** Entries of a job. */
export const ENTRIES = 5;
const POLL_MS = 200;
/** A message whose process died is sent again after half a minute, and after the pauses of its address. */
const TOLD_MS_MAX = 120_000;
/** Photos unlike those of the other loads. */
let nextPhoto = 20_000;

/** What came of a load of jobs. */
export interface JobOutcome {
  /** Of each entry, under the name that its booking has. */
  readonly outcomes: readonly Outcome[];
  /** Every sentence on jobs and messages that is not true. */
  readonly faults: readonly string[];
}

const jobAnswer = z.object({
  id: z.string(),
  status: z.enum(['queued', 'running', 'done']),
  total: z.number(),
  done: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  data: z.array(z.object({ state: z.string(), answer: z.unknown() })),
});
type Job = z.output<typeof jobAnswer>;

/**
 * Jobs of a number of clients, each of which makes its next one when the last is done, and sends again what was not
 * answered. At the end every job is looked at once more, and each has been told to the account's address.
 *
 * @param ended hears of entries that have ended
 */
export async function runJobs(
  installation: Installation,
  payer: Payer,
  pace: Pace,
  ended: (entries: number) => void,
): Promise<JobOutcome> {
  const path = `/${payer.accountId}`;
  const secret = await registered(installation, payer, path);
  const outcomes: Outcome[] = [];
  const jobs: Job[] = [];
  await runClients(pace, async (call) => {
    const photos = await Promise.all(
      Array.from({ length: ENTRIES }, () => {
        nextPhoto += 1;
        return installation.photos.photo(nextPhoto);
      }),
    );
    const started = performance.now();
    const body = { entries: photos.map(({ jpeg }) => ({ base64: jpeg.toString('base64') })) };
    const made = await sent(installation, call, payer, { method: 'POST', path: '/v3/vision/jobs', body });
    const job = await done(installation, payer, made.id, ended);
    const tookMs = performance.now() - started;
    jobs.push(job);
    outcomes.push(...photos.map(({ product }, at) => ({ ...outcomeOf(job, at, product), tookMs })));
  });
  const faults = [
    ...(await changed(installation, payer, jobs)),
    ...(await untold(installation, path, secret, jobs)),
    ...(await calm(installation, payer)),
  ];
  return { outcomes, faults };
}

async function done(
  installation: Installation,
  payer: Payer,
  id: string,
  ended: (entries: number) => void,
): Promise<Job> {
  for (let look = 0, seen = 0; ; look += 1) {
    const job = await sent(installation, look, payer, { method: 'GET', path: `/v3/vision/jobs/${id}` });
    const over = job.done + job.failed + job.cancelled;
    ended(over - seen);
    seen = over;
    if (job.status === 'done') return job;
    await delay(POLL_MS);
  }
}

function outcomeOf(job: Job, position: number, product: string): Omit<Outcome, 'tookMs'> {
  const requestId = `${job.id}.${position}`;
  const entry = job.data[position];
  const text = JSON.stringify(entry?.answer ?? null);
  if (entry?.state === 'done') {
    return { requestId, end: 'answered', ...judged({ statusCode: 200, headers: {} }, text, product) };
  }
  const fault = `${entry?.state ?? 'missing'}: ${text}`;
  return { requestId, end: 'answered', status: null, refusal: null, creditsUsed: 0, fault };
}

interface Sending {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** To the apis in turn, again and again under the same `Idempotency-Key`, until one answers. */
async function sent({ apis }: Installation, from: number, { key }: Payer, sending: Sending): Promise<Job> {
  const idempotencyKey = randomUUID();
  for (let attempt = from; ; attempt += 1) {
    const answer = await answerOf(`${apis[attempt % apis.length]?.url}`, key, idempotencyKey, sending);
    if (answer?.status === 200 || answer?.status === 202) return jobAnswer.parse(JSON.parse(answer.text));
    // Not there, away, or the same call in a process that has just died.
    if (answer && answer.status !== 503 && answer.status !== 409) throw new Error(answer.text);
    await delay(POLL_MS);
  }
}

/** Null for a connection that broke off, or was not there. */
async function answerOf(url: string, key: string, idempotencyKey: string, { method, path, body }: Sending) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body ? { 'content-type': 'application/json', 'idempotency-key': idempotencyKey } : {}),
  };
  try {
    const text = body ? JSON.stringify(body) : null;
    const answer = await request(`${url}${path}`, { method, headers, body: text });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch {
    return null;
  }
}

/** The secret of the account's address, which is told of each job. */
async function registered({ apis, receiver }: Installation, { key }: Payer, path: string): Promise<string> {
  const body = { url: `http://${receiver.address}${path}`, events: ['vision.job.done'] };
  const sending = { method: 'POST', path: '/v3/webhooks', body } as const;
  const answer = await answerOf(`${apis[0]?.url}`, key, randomUUID(), sending);
  return z.object({ secret: z.string() }).parse(JSON.parse(answer?.text ?? '')).secret;
}

/** An entry is answered once: what was told as its answer stays. */
async function changed(installation: Installation, payer: Payer, jobs: readonly Job[]): Promise<string[]> {
  const again = await Promise.all(
    jobs.map(({ id }, at) => sent(installation, at, payer, { method: 'GET', path: `/v3/vision/jobs/${id}` })),
  );
  return jobs.flatMap((job, at) =>
    JSON.stringify(job) === JSON.stringify(again[at]) ? [] : [`${job.id} has got other answers`],
  );
}

/** Jobs of which the address was not told, or wrongly. */
async function untold(
  { receiver }: Installation,
  path: string,
  secret: string,
  jobs: readonly Job[],
): Promise<string[]> {
  const until = performance.now() + TOLD_MS_MAX;
  const arrived = () => new Set(receiver.to(path).map(({ body }) => JSON.parse(body).data.id));
  const isTold = () => jobs.every(({ id }) => arrived().has(id));
  while (!isTold() && performance.now() < until) await delay(POLL_MS);
  const messages = receiver.to(path);
  return [
    ...messages.filter((message) => !isSigned(message, secret)).map(({ body }) => `wrongly signed: ${body}`),
    ...jobs.flatMap(({ id, total, done: right, failed, cancelled }) => {
      const about = messages.filter(({ body }) => JSON.parse(body).data.id === id);
      const told = new Set(about.map(({ body }) => JSON.stringify(JSON.parse(body).data)));
      const said = JSON.stringify({ id, total, done: right, failed, cancelled });
      if (told.size !== 1 || !told.has(said)) return [`of ${id} was told ${[...told].join() || 'nothing'}`];
      const ids = new Set(about.map(({ headers }) => headers['webhook-id']));
      return ids.size === 1 ? [] : [`${id} was told in ${ids.size} messages`];
    }),
  ];
}

function isSigned({ headers, body }: ReceivedMessage, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers;
  return signature === signedHeaders(secret, String(id), Number(seconds), body)['webhook-signature'];
}

/** A load in which no entry was begun twice has seen no fault. */
async function calm({ database }: Installation, { accountId }: Payer): Promise<string[]> {
  const [line] = await rowsOf<{ again: number }>(
    database.knex,
    sql`SELECT count(*)::int AS again FROM vision_job_entries e JOIN vision_jobs j ON j.id = e.job_id
        WHERE j.account_id = ${accountId} AND e.tries > 1`,
  );
  return line?.again ? [] : ['no entry was in work when its process died'];
}
