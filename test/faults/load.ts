import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { Installation } from './installation';

/** What one call sends, and what may come of it. */
export interface CallPlan {
  readonly body: object;
  /** The product that the photo shows; null where no success is possible. */
  readonly product: string | null;
  /** After which the client hangs up; null for one that waits. */
  readonly hangUpAfterMs: number | null;
}

/** What came of one call. `status` is null when there was no answer. */
export interface Outcome {
  readonly requestId: string;
  readonly end: 'answered' | 'hung up' | 'connection lost';
  readonly status: number | null;
  /** What a refusal says of itself. */
  readonly refusal: string | null;
  readonly tookMs: number;
  /** As the answer says; 0 without one. */
  readonly creditsUsed: number;
  /** Why the answer is none that the specification knows; null when it is one. */
  readonly fault: string | null;
}

/** How much a load does, and for how long. */
export interface Pace {
  readonly callsMin: number;
  readonly concurrency: number;
  /** What a client waits between two calls. */
  readonly pauseMs: number;
  /** The load goes on until this is over. */
  readonly faults: Promise<unknown>;
}

export interface Load extends Pace {
  /** Key of the account that pays. */
  readonly key: string;
  plan(call: number): Promise<CallPlan>;
}

/** Longer than any call may take: the load ends also where a promise is broken. */
const PATIENCE_MS = 60_000;

const success = z.object({
  success: z.literal(true),
  credits_used: z.number(),
  data: z.array(z.object({ id: z.string() })),
});
const refusal = z.object({ success: z.literal(false), error: z.string(), message: z.string() });

/** Calls of a number of clients, each of which sends its next one when the last is over; to the apis in turn. */
export async function runLoad(installation: Pick<Installation, 'apis'>, load: Load): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await runClients(load, async (call) => {
    outcomes.push(await identify(installation, load.key, call, await load.plan(call)));
  });
  return outcomes;
}

/** Work of a number of clients, each of which takes its next piece when the last is over. */
export async function runClients(
  { callsMin, concurrency, pauseMs, faults }: Pace,
  work: (call: number) => Promise<void>,
): Promise<void> {
  let faulty = true;
  const over = faults.finally(() => {
    faulty = false;
  });
  let next = 0;
  const client = async (): Promise<void> => {
    while (faulty || next < callsMin) {
      const call = next;
      next += 1;
      await work(call);
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  await Promise.all([over, ...Array.from({ length: concurrency }, client)]);
}

/** One call. An api that is not there at all is left out, as a load balancer does. */
export async function identify(
  { apis }: Pick<Installation, 'apis'>,
  key: string,
  call: number,
  plan: CallPlan,
): Promise<Outcome> {
  const requestId = randomUUID();
  for (let attempt = 0; ; attempt += 1) {
    const api = apis[(call + attempt) % apis.length];
    const started = performance.now();
    const outcome = await send(api?.url ?? '', key, requestId, plan);
    if (outcome !== 'refused') return { requestId, tookMs: performance.now() - started, ...outcome };
    if (attempt >= apis.length) throw new Error('no api is there');
  }
}

type Sent = Omit<Outcome, 'requestId' | 'tookMs'>;

async function send(
  url: string,
  key: string,
  requestId: string,
  { body, product, hangUpAfterMs }: CallPlan,
): Promise<Sent | 'refused'> {
  const unanswered = { status: null, refusal: null, creditsUsed: 0, fault: null };
  // A timer that is waited for itself: `fetch` with `AbortSignal.timeout` has, once in some 100,000 calls on Node 20,
  // neither answered nor given up.
  const hangUp = new AbortController();
  const timer = setTimeout(() => hangUp.abort(), hangUpAfterMs ?? PATIENCE_MS);
  const answer = request(`${url}/v3/vision/identify`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    },
    body: JSON.stringify(body),
    signal: hangUp.signal,
  }).then(async (response): Promise<Sent> => {
    return { end: 'answered', ...judged(response, await response.body.text(), product) };
  });
  const gone = once(hangUp.signal, 'abort');
  try {
    await Promise.race([gone, answer]);
    return hangUp.signal.aborted ? { end: 'hung up', ...unanswered } : await answer;
  } catch (failure) {
    if (hangUp.signal.aborted) return { end: 'hung up', ...unanswered };
    return isRefused(failure) ? 'refused' : { end: 'connection lost', ...unanswered };
  } finally {
    clearTimeout(timer);
  }
}

/** What an answer says, and whether it is one that may be given to a photo of a product. */
export function judged(
  { statusCode: status, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  text: string,
  product: string | null,
): Omit<Sent, 'end'> {
  const answer: unknown = JSON.parse(text);
  const none = { status, refusal: null, creditsUsed: 0 };
  if (status !== 200) {
    const parsed = refusal.safeParse(answer);
    if (!parsed.success) return { ...none, fault: `no error body: ${text}` };
    const silent = status === 503 && headers['retry-after'] === undefined;
    return { ...none, refusal: parsed.data.message, fault: silent ? 'a 503 without Retry-After' : null };
  }
  const parsed = success.safeParse(answer);
  if (!parsed.success) return { ...none, fault: `no envelope: ${text}` };
  const { credits_used: creditsUsed, data } = parsed.data;
  const seen = data[0]?.id ?? 'nothing';
  return { ...none, creditsUsed, fault: seen === product ? null : `${seen} in place of ${product}` };
}

const isRefused = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === 'ECONNREFUSED';
