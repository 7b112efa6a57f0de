import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { rowsOf, sql } from '../../db/core/sql';
import { LEASE_DEADLINES } from '../../models/vision/jobs/vision-job-runner';
import type { Server } from '../../scripts/lab/services/servers';
import { DEADLINE_MS, type Installation, JOB_DEADLINE_MS, WAITING_MAX } from './installation';
import type { CallPlan } from './load';
import { SLOW_WAYS } from './slow-host';

/** What a scenario can do while its load runs. */
export interface Stage {
  readonly installation: Installation;
  /** Disturbances of a kind that takes seconds, and of one that is over at once. */
  readonly rounds: { readonly slow: number; readonly quick: number };
  /** Resolves when so many more calls have ended. */
  progress(calls: number): Promise<void>;
  /** Resolves when every api is ready and answers right; the longest such wait is reported. */
  back(): Promise<void>;
}

/** A fault under load: what is done, and what its callers may see. */
export interface Scenario {
  readonly name: string;
  /** Statuses that may be answered; others are documented too, but not for this. */
  readonly statuses: readonly number[];
  /** Whether calls may end without an answer, because the process that had them died. */
  readonly losesConnections?: boolean;
  readonly concurrency?: number;
  /** Jobs are the load, and no single calls. */
  readonly jobs?: true;
  /** Too long for the short form. */
  readonly long?: true;
  /** Every call waits for its answer and sends a photo, unless the scenario wants others. */
  plan?(installation: Installation, call: number): Promise<CallPlan>;
  disturb(stage: Stage): Promise<void>;
}

/** More clients than there are places in the queue and in both workers. */
const CROWD = WAITING_MAX + 64;
const OUTAGE_MS = 1_000;
const PAUSE_MS = 5_000;
/** Longer than the lock of a job: the others take over. */
const WORKER_PAUSE_MS = 8_000;
const HANG_UP_MS_MAX = 120;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a worker is killed in the middle of jobs',
    statuses: [200, 503, 504],
    async disturb({ installation: { workers }, rounds, progress, back }) {
      for (let round = 0; round < rounds.quick; round += 1) {
        const worker = workers[round % workers.length];
        await progress(8);
        await worker?.kill();
        await worker?.start();
      }
      await back();
    },
  },
  {
    name: 'an api is killed in the middle of calls',
    statuses: [200, 503],
    losesConnections: true,
    async disturb({ installation: { apis }, rounds, progress, back }) {
      for (let round = 0; round < rounds.slow; round += 1) {
        const api = apis[round % apis.length];
        await progress(20);
        await api?.kill();
        await api?.start();
      }
      await back();
    },
  },
  {
    name: 'api and worker are stopped in order and started again',
    statuses: [200, 503],
    losesConnections: true,
    async disturb({ installation: { apis, workers }, rounds, progress, back }) {
      for (let round = 0; round < rounds.slow; round += 1) {
        await progress(20);
        for (const part of [workers[round % workers.length], apis[round % apis.length]]) {
          await part?.stop();
          await part?.start();
        }
      }
      await back();
    },
  },
  {
    name: 'a worker stops answering',
    statuses: [200],
    disturb: inRounds(async ({ workers }, round) => {
      const worker = workers[round % workers.length];
      worker?.pause();
      await delay(WORKER_PAUSE_MS);
      worker?.resume();
    }),
  },
  {
    name: 'the queue is full',
    statuses: [200, 503, 504],
    concurrency: CROWD,
    disturb: inRounds(async ({ workers }) => {
      for (const worker of workers) worker.pause();
      await delay(2 * OUTAGE_MS);
      for (const worker of workers) worker.resume();
    }),
  },
  {
    name: 'Redis dies and comes back without its data',
    statuses: [200, 503],
    disturb: inRounds(({ services }) => dies(services.redis)),
  },
  {
    name: 'Redis dies and comes back with its data',
    statuses: [200, 503],
    disturb: inRounds(async ({ services }) => {
      await saved(services.redis.url);
      await dies(services.redis);
    }),
  },
  {
    name: 'Redis stops answering for five seconds',
    statuses: [200, 503],
    disturb: inRounds(({ services }) => hangs(services.redis, PAUSE_MS)),
  },
  {
    name: 'PostgreSQL dies and comes back',
    statuses: [200, 503],
    disturb: killDatabase,
  },
  {
    name: 'PostgreSQL stops answering for five seconds',
    statuses: [200, 503],
    disturb: inRounds(({ services }) => hangs(services.postgres, PAUSE_MS)),
  },
  {
    name: 'PostgreSQL stops answering for longer than a deadline',
    statuses: [200, 503, 504],
    long: true,
    async disturb({ installation: { services }, progress, back }) {
      await progress(20);
      await hangs(services.postgres, DEADLINE_MS + 2 * OUTAGE_MS);
      await back();
    },
  },
  {
    name: 'the host of the photos is slow',
    statuses: [200, 422],
    async plan(installation, call) {
      const way = call % 4 === 0 ? SLOW_WAYS[(call / 4) % SLOW_WAYS.length] : undefined;
      if (!way) return photoCall(installation, call);
      return { body: { url: installation.slowHost.url(way) }, product: null, hangUpAfterMs: null };
    },
    disturb: ({ back }) => back(),
  },
  {
    name: 'clients hang up',
    statuses: [200],
    async plan(installation, call) {
      const photo = await photoCall(installation, call);
      return call % 3 === 0 ? photo : { ...photo, hangUpAfterMs: 1 + ((call * 37) % HANG_UP_MS_MAX) };
    },
    disturb: ({ back }) => back(),
  },
];

/** A call with a photo of its own that waits for its answer; every fourth has two more of the same product. */
export async function photoCall({ photos }: Installation, call: number): Promise<CallPlan> {
  const sides = call % 4 === 3 ? [0, 1, 2] : [0];
  const made = await Promise.all(sides.map((side) => photos.photo(call, side)));
  const images = made.map(({ jpeg }) => ({ base64: jpeg.toString('base64') }));
  const product = made[0]?.product ?? null;
  return { body: images.length === 1 ? { ...images[0] } : { images }, product, hangUpAfterMs: null };
}

/** So often as a kind that takes seconds: some calls, the disturbance, and all is back. */
function inRounds(
  disturbance: (installation: Installation, round: number) => Promise<void>,
): (stage: Stage) => Promise<void> {
  return async ({ installation, rounds, progress, back }) => {
    for (let round = 0; round < rounds.slow; round += 1) {
      await progress(20);
      await disturbance(installation, round);
      await back();
    }
  };
}

function killDatabase(stage: Stage): Promise<void> {
  return inRounds(({ services }) => dies(services.postgres))(stage);
}

/** Killed, and started again after a while. */
async function dies(server: Server): Promise<void> {
  await server.kill();
  await delay(OUTAGE_MS);
  await server.start();
}

/** Keeps its connections and does nothing. */
async function hangs(server: Server, forMs: number): Promise<void> {
  await server.pause();
  await delay(forMs);
  await server.resume();
}

/** What is in Redis now is there again after a crash. */
async function saved(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.save();
  redis.disconnect();
}

const LOOK_EVERY_MS = 20;

/** Of an entry that was begun in the latest of its deadlines. */
const LEASE_LEFT_MS = (LEASE_DEADLINES - 1) * JOB_DEADLINE_MS;

/** Faults under vision jobs, whose callers see nothing of them (contract 16.3, 16.4, 16.13). */
export const JOB_SCENARIOS: readonly Scenario[] = [
  {
    name: 'apis and workers are killed in the middle of entries of vision jobs',
    statuses: [200],
    jobs: true,
    async disturb({ installation, rounds, progress, back }) {
      const { apis, workers } = installation;
      for (let round = 0; round < rounds.quick; round += 1) {
        await progress(8);
        // By turns anywhere in an entry, and while every api waits for a worker.
        const isHeld = round % 2 === 0;
        const dying = isHeld ? apis : apis.slice(round % apis.length).slice(0, 1);
        if (isHeld) await entryWaits(installation);
        const parts = [...dying, ...workers.slice(round % workers.length).slice(0, 1)];
        await Promise.all(parts.map((part) => part.kill()));
        for (const worker of workers) worker.resume();
        await Promise.all(parts.map((part) => part.start()));
      }
      await back();
    },
  },
  {
    name: 'PostgreSQL dies under vision jobs and comes back',
    statuses: [200],
    jobs: true,
    disturb: killDatabase,
  },
];

/** Stops the workers, and resolves when an entry can't go on without them. */
async function entryWaits({ workers, database }: Installation): Promise<void> {
  for (const worker of workers) worker.pause();
  for (;;) {
    const running = await rowsOf(
      database.knex,
      sql`SELECT FROM vision_job_entries WHERE state = 'running' AND due_at > now() + ${LEASE_LEFT_MS} * interval '1 ms' LIMIT 1`,
    );
    if (running.length > 0) return;
    await delay(LOOK_EVERY_MS);
  }
}
