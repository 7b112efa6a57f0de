import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { IdentifyAnswer } from '../../api/client/schema';
import { ApiClient } from '../support/api-client';
import type { Installation } from './installation';

export interface CallPlan {
  readonly body: object;
  readonly product: string;
  /** After which the client hangs up; null for one that waits. */
  readonly disconnectAfterMs: number | null;
}

export interface Outcome {
  readonly requestId: string;
  readonly status: number | 'disconnected' | 'connection lost';
  readonly tookMs: number;
  /** As answered; 0 without an answer. */
  readonly creditsUsed: number;
  readonly message: string | undefined;
  /** Why the contract does not allow the answer; null when it does. */
  readonly fault: string | null;
}

export interface Pace {
  readonly callsMin: number;
  readonly concurrency: number;
  readonly pauseMs: () => number;
  /** The load continues until this resolves. */
  readonly faults: Promise<unknown>;
}

/** Longer than any call may take: the load ends even when a promise is broken. */
const PATIENCE_MS = 60_000;

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
      await work(next++);
      if (pauseMs() > 0) await delay(pauseMs());
    }
  };
  await Promise.all([over, ...Array.from({ length: concurrency }, client)]);
}

/** One call. An api that refuses connections is skipped, as by a load balancer. */
export async function identify(
  { apis }: Pick<Installation, 'apis'>,
  key: string,
  call: number,
  plan: CallPlan,
): Promise<Outcome> {
  for (let attempt = 0; attempt <= apis.length; attempt += 1) {
    const outcome = await send(apis[(call + attempt) % apis.length]?.url ?? '', key, plan);
    if (outcome) return outcome;
  }
  throw new Error('no api is there');
}

/** Null when the connection is refused. */
async function send(url: string, key: string, plan: CallPlan): Promise<Outcome | null> {
  const { body, product, disconnectAfterMs } = plan;
  const requestId = randomUUID();
  const started = performance.now();
  const disconnect = new AbortController();
  const timer = setTimeout(() => disconnect.abort(), disconnectAfterMs ?? PATIENCE_MS);
  const outcome = (status: Outcome['status'], rest: Partial<Outcome> = {}): Outcome => ({
    ...{ requestId, status, tookMs: performance.now() - started },
    ...{ creditsUsed: 0, message: undefined, fault: null },
    ...rest,
  });
  try {
    const sending = { body, headers: { 'X-Request-Id': requestId }, signal: disconnect.signal };
    const answering = new ApiClient(url, key).send<IdentifyAnswer & { message?: string }>(
      ...(['POST', '/v3/vision/identify', sending] as const),
    );
    // On Node 20 `fetch` sometimes neither answers nor gives up when it is aborted.
    const aborted = once(disconnect.signal, 'abort').then(() => Promise.reject(disconnect.signal.reason));
    const answer = await Promise.race([answering, aborted]);
    if (answer.status !== 200) return outcome(answer.status, { message: answer.body.message });
    const { credits_used: creditsUsed, data } = answer.body;
    return outcome(200, { creditsUsed, fault: wrongProduct(data, product) });
  } catch (failure) {
    if (disconnect.signal.aborted) return outcome('disconnected');
    const { cause, message } = failure as Error & { cause?: { code?: string } };
    if (cause?.code === 'ECONNREFUSED') return null;
    // Without a cause the answer is not as documented.
    return cause ? outcome('connection lost') : outcome(500, { fault: message });
  } finally {
    clearTimeout(timer);
  }
}

/** Why rows are not a right answer to a photo of a product; null when they are. */
export function wrongProduct([first]: readonly { id: string }[], product: string): string | null {
  return first?.id === product ? null : `${first?.id ?? 'nothing'} in place of ${product}`;
}
