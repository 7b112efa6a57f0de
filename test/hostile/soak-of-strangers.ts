import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { Random } from '../../models/random';
import { percentiles } from '../../scripts/lab/bench/measure';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { SlowHost } from '../faults/slow-host';
import { type ServedService, serve } from './served-service';

/** What came of a soak. */
export interface StrangersReport {
  /** Calls by who made them and their status; 0 for no answer. */
  readonly calls: ReadonlyMap<string, number>;
  /** Milliseconds of the other account's calls, before the soak and in it. */
  readonly quietMs: readonly number[];
  readonly besideMs: readonly number[];
  /** What was not as promised. */
  readonly faults: readonly string[];
}

interface Account {
  readonly accountId: string;
  readonly key: string;
}

const CREDITS = 1_000_000;
const QUIET_CALLS = 20;
const JOBS_END_MS = 180_000;
/** Longer than any call takes. */
const ANSWER_MS_MAX = 60_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Callers of every bad kind on a service with a heap of 512 MB, each at random, beside an account that only wants answers. */
export async function soakOfStrangers(
  seed: number,
  seconds: number,
  servers: boolean,
): Promise<StrangersReport> {
  const host = await SlowHost.open();
  const settings = {
    NODE_OPTIONS: '--max-old-space-size=512',
    VISION_CONCURRENCY: '16',
    IMAGE_FETCH_ALLOW: host.address,
  };
  const service = await serve({ servers, settings, furtherVariants: 150 });
  try {
    return await new Soak(service, host, seed).run(seconds);
  } finally {
    await service.stop();
    await host.close();
  }
}

class Soak {
  readonly #calls = new Map<string, number>();
  readonly #faults: string[] = [];
  /** What answers said, by account; of those who hang up it is not known. */
  readonly #told = new Map<string, number>();
  readonly #jobs: { readonly account: Account; readonly id: string }[] = [];
  readonly #until = { time: 0 };

  constructor(
    private readonly service: ServedService,
    private readonly host: SlowHost,
    private readonly seed: number,
  ) {}

  async run(seconds: number): Promise<StrangersReport> {
    const open = () => this.service.openAccount(CREDITS);
    const [other, replays, large, larger, jobs, rude] = await Promise.all(Array.from({ length: 6 }, open));
    if (!other || !replays || !large || !larger || !jobs || !rude) throw new Error('accounts are missing');
    const photo = (await photoOfProduct({ seed: 11, index: 3, photoSeed: 1, level: 1, size: 640 })).toString(
      'base64',
    );
    const picture = (
      await sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#a0522d' } })
        .jpeg()
        .toBuffer()
    ).toString('base64');
    const identify = async () => {
      const started = performance.now();
      const status = await this.#call('other', other, '/v3/vision/identify', { base64: photo });
      if (status !== 200) this.#faults.push(`the other account's photo: ${status}`);
      return performance.now() - started;
    };
    const quietMs: number[] = [];
    while (quietMs.length < QUIET_CALLS) quietMs.push(await identify());
    const besideMs: number[] = [];
    this.#until.time = performance.now() + seconds * 1000;
    await Promise.all([
      this.#repeatedly('other', 1, async () => {
        besideMs.push(await identify());
        await delay(200);
      }),
      this.#repeatedly('ahead', 2, (random) => this.#sendAhead(random, random.chance(0.5) ? rude.key : null)),
      this.#repeatedly('slow bodies', 8, (random) => this.#sendSlowly(random, rude.key)),
      this.#repeatedly('hang-ups', 4, (random) => this.#hangUp(random, rude.key, photo)),
      this.#repeatedly('replays', 8, async (random) => {
        const name = `page ${random.integer(0, 5)}`;
        await this.#call(
          'replays',
          replays,
          '/v3/catalog/query',
          { page_size: 24 },
          { 'Idempotency-Key': name },
        );
      }),
      ...[large, larger].map((account) =>
        this.#repeatedly('large', 8, async (random) => {
          const images = Array.from({ length: random.integer(1, 5) }, () => ({ base64: picture }));
          const status = await this.#call('large', account, '/v3/vision/identify', { images });
          if (status !== 200) await delay(500);
        }),
      ),
      this.#repeatedly('jobs', 1, async (random) => {
        const slow = { url: this.host.url('silent') };
        const entries = Array.from({ length: 6 }, () => (random.chance(0.5) ? slow : { base64: photo }));
        await this.#makeJob(jobs, entries);
        await delay(10_000);
      }),
      this.#repeatedly('jobs', 4, async (random) => {
        const job = this.#jobs[random.integer(0, Math.max(0, this.#jobs.length - 1))];
        if (job) await this.#call('jobs', job.account, `/v3/vision/jobs/${job.id}`, null);
        await delay(500);
      }),
    ]);
    await this.#endJobs();
    await this.#compareLedger([other, replays, large, larger, jobs]);
    if (!(await this.service.isReady())) this.#faults.push('the service is not ready any more');
    return { calls: this.#calls, quietMs, besideMs, faults: this.#faults };
  }

  /** Does something again and again, by several at a time, until the soak is over. */
  async #repeatedly(who: string, callers: number, act: (random: Random) => Promise<unknown>): Promise<void> {
    const one = async (caller: number): Promise<void> => {
      const random = new Random(this.seed, who, caller);
      while (performance.now() < this.#until.time) {
        await act(random);
        if (this.service.api.exitCode !== null || this.service.api.signalCode !== null) {
          throw new Error('the process ended');
        }
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => one(caller)));
  }

  /** A call whose answer is read to its end; a GET without a body. */
  async #call(
    who: string,
    { key, accountId }: Account,
    path: string,
    body: object | null,
    more: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    let status = 0;
    try {
      const headers = { ...JSON_TYPE, ...more, Authorization: `Bearer ${key}` };
      const sent = body === null ? {} : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${this.service.url}${path}`, {
        ...{ ...sent, headers, signal: AbortSignal.timeout(ANSWER_MS_MAX) },
      });
      for await (const chunk of answer.body ?? []) void chunk;
      status = answer.status;
      const used = Number(answer.headers.get('X-Credits-Used') ?? 0);
      this.#told.set(accountId, (this.#told.get(accountId) ?? 0) + used);
    } catch (failure) {
      this.#faults.push(`${who}: no answer: ${String(failure)}, ${String((failure as Error).cause)}`);
    }
    this.#count(who, status);
    return status;
  }

  #count(who: string, status: number | string): void {
    const call = `${who}: ${status}`;
    this.#calls.set(call, (this.#calls.get(call) ?? 0) + 1);
  }

  /** Requests one after the other, of any number, and perhaps not a look at the answers. */
  async #sendAhead(random: Random, key: string | null): Promise<void> {
    const head = [
      'GET /v3/account HTTP/1.1',
      'Host: x',
      ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    ];
    const requests = random.chance(0.2) ? 20_000 : random.integer(1, 60);
    const text = `${head.join('\r\n')}\r\n\r\n`.repeat(requests);
    await this.#onSocket('ahead', text, random.integer(0, 2_000), random.chance(0.3));
  }

  /** A body that stops halfway, or goes on a few bytes at a time. */
  async #sendSlowly(random: Random, key: string): Promise<void> {
    const head = ['POST /v3/vision/identify HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`];
    head.push('Content-Type: application/json', 'Content-Length: 20000000', '', '{"base64":"');
    await this.#onSocket(
      'slow bodies',
      head.join('\r\n') + 'A'.repeat(random.integer(0, 2_000_000)),
      5_000,
      false,
    );
  }

  #onSocket(who: string, text: string, stayMs: number, deaf: boolean): Promise<void> {
    const { hostname, port } = new URL(this.service.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    if (!deaf) socket.resume();
    socket.write(text);
    return new Promise((resolve) => {
      const late = setTimeout(() => socket.destroy(), stayMs);
      socket.once('close', () => {
        clearTimeout(late);
        this.#count(who, 'closed');
        resolve();
      });
    });
  }

  async #hangUp(random: Random, key: string, photo: string): Promise<void> {
    const [path, body] = random.chance(0.5)
      ? ['/v3/vision/identify', { base64: photo }]
      : ['/v3/catalog/query', { page_size: 24 }];
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${key}`, 'Idempotency-Key': randomUUID() };
    const signal = AbortSignal.timeout(random.integer(1, 300));
    const asked = fetch(`${this.service.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
      signal,
    });
    this.#count('hang-ups', await asked.then(({ status }) => status).catch(() => 'gone'));
  }

  async #makeJob(account: Account, entries: readonly object[]): Promise<void> {
    const answer = await fetch(`${this.service.url}/v3/vision/jobs`, {
      method: 'POST',
      body: JSON.stringify({ entries }),
      headers: { ...JSON_TYPE, Authorization: `Bearer ${account.key}` },
    });
    this.#count('jobs made', answer.status);
    const { id } = (await answer.json()) as { id?: string };
    if (id !== undefined) this.#jobs.push({ account, id });
  }

  /** Waits until all jobs are done, and adds what they say that they cost. */
  async #endJobs(): Promise<void> {
    const giveUpAt = performance.now() + JOBS_END_MS;
    for (const { account, id } of this.#jobs) {
      for (;;) {
        const answer = await fetch(`${this.service.url}/v3/vision/jobs/${id}`, {
          headers: { Authorization: `Bearer ${account.key}` },
        });
        const job = (await answer.json()) as { status?: string; credits_used: number };
        if (job.status === 'done') {
          this.#told.set(account.accountId, (this.#told.get(account.accountId) ?? 0) + job.credits_used);
          break;
        }
        if (performance.now() > giveUpAt) return void this.#faults.push(`the job ${id} is ${job.status}`);
        await delay(1_000);
      }
    }
  }

  async #compareLedger(accounts: readonly Account[]): Promise<void> {
    const balances = await this.service.balances();
    for (const { accountId } of accounts) {
      const booked = CREDITS - (balances.get(accountId) ?? 0);
      const told = this.#told.get(accountId) ?? 0;
      if (booked !== told) this.#faults.push(`${accountId}: ${booked} credits are booked, ${told} were told`);
    }
  }
}

/** In words. */
export const figuresOf = ({ quietMs, besideMs }: StrangersReport): string =>
  [quietMs, besideMs]
    .map((ms) => `${ms.length} calls: p50 ${percentiles(ms, 0, 0.5, 0.99, 1).join(', p99, longest ')} ms`)
    .join('; ');
