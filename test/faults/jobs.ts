import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IdentifyAnswer, JobAnswer } from '../../api/client/schema';
import { rowsOf, sql } from '../../db/core/sql';
import { type Answer, ApiClient } from '../support/api-client';
import type { ReceivedMessage } from '../support/local-server';
import type { Payer } from '../support/open-account';
import type { Installation } from './installation';
import { type Outcome, type Pace, runClients, wrongProduct } from './load';
import { photoNumber } from './photos';

export const ENTRIES = 5;
const POLL_MS = 200;
/** A message whose process died is sent again after half a minute, and after the pauses of its address. */
const TOLD_MS_MAX = 120_000;
/** Photos unlike those of the other loads. */
let nextPhoto = 20_000;

/**
 * Jobs of several clients, one after another each. Returns the outcome of each entry, and the promises not kept: every job must
 * have been announced to the account's webhook. @param ended called for entries that have ended
 */
export async function runJobs(
  installation: Installation,
  payer: Payer,
  pace: Pace,
  ended: (entries: number) => void,
): Promise<{ outcomes: readonly Outcome[]; faults: readonly string[] }> {
  const { apis, receiver } = installation;

  /** Calls the apis in turn, under one `Idempotency-Key`, until one answers. */
  async function answered<Body>(
    from: number,
    call: (api: ApiClient, headers: Record<string, string>) => Promise<Answer<Body>>,
  ): Promise<Body> {
    const headers = { 'Idempotency-Key': randomUUID() };
    for (let attempt = from; ; attempt += 1) {
      const api = new ApiClient(apis[attempt % apis.length]?.url ?? '', payer.key);
      const answer = await call(api, headers).catch((failure: Error) => {
        if (failure.cause === undefined) throw failure;
      });
      if (answer && answer.status < 300) return answer.body;
      // Not there, away, or the same call in a process that has just died.
      if (answer && answer.status !== 503 && answer.status !== 409) throw new Error(answer.text);
      await delay(POLL_MS);
    }
  }

  const path = `/${payer.accountId}`;
  const webhook = { url: `http://${receiver.address}${path}`, events: ['vision.job.done'] };
  await answered(0, (api, headers) => api.send('POST', '/v3/webhooks', { body: webhook, headers }));
  const outcomes: Outcome[] = [];
  const jobs: JobAnswer[] = [];
  await runClients(pace, async (call) => {
    const numbers = Array.from({ length: ENTRIES }, () => nextPhoto++);
    const sent = await Promise.all(numbers.map((number) => photoNumber(number)));
    const started = performance.now();
    const body = { entries: sent.map(({ jpeg }) => ({ base64: jpeg.toString('base64') })) };
    let job = await answered(call, (api, headers) => api.createJob(body, headers));
    for (let look = 0, seen = 0; ; look += 1) {
      const over = job.done + job.failed + job.cancelled;
      ended(over - seen);
      seen = over;
      if (job.status === 'done') break;
      await delay(POLL_MS);
      job = await answered(look, (api) => api.job(job.id));
    }
    jobs.push(job);
    const tookMs = performance.now() - started;
    outcomes.push(...sent.map(({ product }, at) => ({ ...outcomeOf(job, at, product), tookMs })));
  });

  const again = await Promise.all(jobs.map(({ id }, at) => answered(at, (api) => api.job(id))));
  const changed = jobs.filter((job, at) => JSON.stringify(job) !== JSON.stringify(again[at]));
  const until = performance.now() + TOLD_MS_MAX;
  const arrived = () => new Set(receiver.to(path).map(({ body }) => JSON.parse(body).data.id));
  while (jobs.some(({ id }) => !arrived().has(id)) && performance.now() < until) await delay(POLL_MS);
  const messages = receiver.to(path);
  const [line] = await rowsOf<{ again: number }>(
    installation.database.knex,
    sql`SELECT count(*)::int AS again FROM vision_job_entries WHERE account_id = ${payer.accountId} AND tries > 1`,
  );
  return {
    outcomes,
    faults: [
      ...changed.map(({ id }) => `${id} has got other answers`),
      ...jobs.flatMap((job) => faultsOfMessages(job, messages)),
      ...(line?.again ? [] : ['no entry was in work when its process died, so nothing was tested']),
    ],
  };
}

/** The outcome of an entry, under the name of its booking. */
function outcomeOf(job: JobAnswer, position: number, product: string): Omit<Outcome, 'tookMs'> {
  const { state, answer } = job.data[position] ?? {};
  const requestId = `${job.id}.${position}`;
  if (state !== 'done') {
    const fault = `${state}: ${JSON.stringify(answer)}`;
    return { requestId, status: 500, message: undefined, creditsUsed: 0, fault };
  }
  const { credits_used: creditsUsed, data } = answer as IdentifyAnswer;
  return { requestId, status: 200, message: undefined, creditsUsed, fault: wrongProduct(data, product) };
}

/** A job is announced at least once, correctly, and always under one id. */
function faultsOfMessages(
  { id, total, done, failed, cancelled }: JobAnswer,
  messages: readonly ReceivedMessage[],
): string[] {
  const about = messages.filter(({ body }) => JSON.parse(body).data.id === id);
  const told = new Set(about.map(({ body }) => JSON.stringify(JSON.parse(body).data)));
  const expected = JSON.stringify({ id, total, done, failed, cancelled });
  if (told.size !== 1 || !told.has(expected)) return [`of ${id} was told ${[...told].join() || 'nothing'}`];
  const ids = new Set(about.map(({ headers }) => headers['webhook-id']));
  return ids.size === 1 ? [] : [`${id} was told in ${ids.size} messages`];
}
