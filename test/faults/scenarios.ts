import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { rowsOf, sql } from '../../db/core/sql';
import { LEASE_DEADLINES } from '../../models/vision/jobs/vision-job-runner';
import type { Server } from '../../scripts/lab/services/servers';
import {
  DEADLINE_MS,
  type Installation,
  JOB_DEADLINE_MS,
  type ServicePart,
  WAITING_MAX,
} from './installation';
import type { CallPlan } from './load';
import { photoNumber } from './photos';

export interface Stage {
  readonly installation: Installation;
  /** Number of slow disturbances, which take seconds, and of quick ones. */
  readonly rounds: { readonly slow: number; readonly quick: number };
  /** Resolves when this many more calls have ended. */
  progress(calls: number): Promise<void>;
  /** Resolves when every api is ready and answers right; the longest such wait is reported. */
  back(): Promise<void>;
}

export interface Scenario {
  /** Statuses that may be answered; others are documented too, but not allowed here. */
  readonly statuses: readonly number[];
  /** Whether calls may end without an answer, because the process that had them died. */
  readonly losesConnections?: true;
  readonly concurrency?: number;
  /** The load is jobs instead of calls. */
  readonly jobs?: true;
  /** Too long for the short form. */
  readonly long?: true;
  /** Every call waits for its answer and sends a photo, unless the scenario wants others. */
  plan?(call: number): Promise<CallPlan>;
  disturb(stage: Stage): Promise<unknown>;
}

type Disturbance = (installation: Installation, round: number) => Promise<unknown>;

/** More clients than there are slots in the queue and in both workers. */
const CROWD = WAITING_MAX + 64;
const OUTAGE_MS = 1_000;
const PAUSE_MS = 5_000;
/** Longer than the lock of a job: the others take over. */
const WORKER_PAUSE_MS = 8_000;
const DISCONNECT_MS_MAX = 120;
const POLL_MS = 20;
/** What is left of an entry's lease in the last of its deadlines. */
const LEASE_LEFT_MS = (LEASE_DEADLINES - 1) * JOB_DEADLINE_MS;

/** Repeats for each disturbance: some calls, the disturbance, recovery. */
const slowly =
  (...disturbances: readonly Disturbance[]) =>
  async ({ installation, rounds, progress, back }: Stage): Promise<void> => {
    for (let round = 0; round < rounds.slow; round += 1) {
      for (const disturbance of disturbances) {
        await progress(20);
        await disturbance(installation, round);
        await back();
      }
    }
  };

/** Repeats the disturbance without waiting for recovery in between. */
const inBetween =
  (kind: 'slow' | 'quick', calls: number, disturbance: Disturbance) =>
  async ({ installation, rounds, progress, back }: Stage): Promise<void> => {
    for (let round = 0; round < rounds[kind]; round += 1) {
      await progress(calls);
      await disturbance(installation, round);
    }
    await back();
  };

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a worker is killed in the middle of jobs': {
    statuses: [200, 503, 504],
    disturb: inBetween('quick', 8, ({ workers }, round) => killed(turnOf(workers, round))),
  },
  'an api is killed in the middle of calls': {
    statuses: [200, 503],
    losesConnections: true,
    disturb: inBetween('slow', 20, ({ apis }, round) => killed(turnOf(apis, round))),
  },
  'api and worker are stopped in order and started again': {
    statuses: [200, 503],
    losesConnections: true,
    disturb: inBetween('slow', 20, async ({ apis, workers }, round) => {
      for (const part of [...turnOf(workers, round), ...turnOf(apis, round)]) {
        await part.stop();
        await part.start();
      }
    }),
  },
  'a worker stops answering': {
    statuses: [200],
    disturb: slowly(({ workers }, round) => paused(turnOf(workers, round), WORKER_PAUSE_MS)),
  },
  'the queue is full': {
    statuses: [200, 503, 504],
    concurrency: CROWD,
    disturb: slowly(({ workers }) => paused(workers, 2 * OUTAGE_MS)),
  },
  'Redis without its data, Redis with it and PostgreSQL die and come back': {
    statuses: [200, 503],
    disturb: slowly(
      ({ services }) => outage(services.redis),
      async ({ services }) => {
        const redis = new Redis(services.redis.url);
        await redis.save();
        redis.disconnect();
        await outage(services.redis);
      },
      ({ services }) => outage(services.postgres),
    ),
  },
  'Redis and PostgreSQL stop answering for five seconds': {
    statuses: [200, 503],
    disturb: slowly(
      ({ services }) => hangs(services.redis, PAUSE_MS),
      ({ services }) => hangs(services.postgres, PAUSE_MS),
    ),
  },
  'PostgreSQL stops answering for longer than a deadline': {
    statuses: [200, 503, 504],
    long: true,
    disturb: slowly(({ services }) => hangs(services.postgres, DEADLINE_MS + 2 * OUTAGE_MS)),
  },
  'clients disconnect': {
    statuses: [200],
    async plan(call) {
      const photo = await photoCall(call);
      return call % 3 === 0 ? photo : { ...photo, disconnectAfterMs: 1 + ((call * 37) % DISCONNECT_MS_MAX) };
    },
    disturb: ({ back }) => back(),
  },
};

/** Faults under vision jobs, whose callers notice nothing (contract 16.3, 16.4, 16.13). */
export const JOB_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'apis and workers are killed in the middle of entries of vision jobs': {
    statuses: [200],
    jobs: true,
    disturb: inBetween('quick', 8, async (installation, round) => {
      const { apis, workers } = installation;
      // Alternately at any moment, and while every api waits for a worker.
      const isHeld = round % 2 === 0;
      if (isHeld) await entryWaits(installation);
      await killed([...(isHeld ? apis : turnOf(apis, round)), ...turnOf(workers, round)], () => {
        for (const worker of workers) worker.resume();
      });
    }),
  },
  'PostgreSQL dies under vision jobs and comes back': {
    statuses: [200],
    jobs: true,
    disturb: slowly(({ services }) => outage(services.postgres)),
  },
};

/** A call with a photo of its own that waits for its answer; every fourth has two more of the same product. */
export async function photoCall(call: number): Promise<CallPlan> {
  const sides = call % 4 === 3 ? [0, 1, 2] : [0];
  const made = await Promise.all(sides.map((side) => photoNumber(call, side)));
  const images = made.map(({ jpeg }) => ({ base64: jpeg.toString('base64') }));
  const product = made[0]?.product ?? '';
  return { body: images.length === 1 ? { ...images[0] } : { images }, product, disconnectAfterMs: null };
}

const turnOf = (parts: readonly ServicePart[], round: number): readonly ServicePart[] =>
  parts.slice(round % parts.length).slice(0, 1);

/** All at once, and started again. */
async function killed(parts: readonly ServicePart[], afterwards = (): void => undefined): Promise<void> {
  await Promise.all(parts.map((part) => part.kill()));
  afterwards();
  await Promise.all(parts.map((part) => part.start()));
}

async function paused(parts: readonly ServicePart[], forMs: number): Promise<void> {
  for (const part of parts) part.pause();
  await delay(forMs);
  for (const part of parts) part.resume();
}

/** Killed, and started again after a while. */
async function outage(server: Server): Promise<void> {
  await server.kill();
  await delay(OUTAGE_MS);
  await server.start();
}

async function hangs(server: Server, forMs: number): Promise<void> {
  await server.pause();
  await delay(forMs);
  await server.resume();
}

/** Pauses the workers, and resolves when an entry is waiting for them. */
async function entryWaits({ workers, database }: Installation): Promise<void> {
  for (const worker of workers) worker.pause();
  const running = sql`SELECT FROM vision_job_entries
    WHERE state = 'running' AND due_at > now() + ${LEASE_LEFT_MS} * interval '1 ms' LIMIT 1`;
  while ((await rowsOf(database.knex, running)).length === 0) await delay(POLL_MS);
}
