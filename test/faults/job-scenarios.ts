import { setTimeout as delay } from 'node:timers/promises';
import { rowsOf, sql } from '../../db/core/sql';
import { LEASE_DEADLINES } from '../../models/vision/jobs/vision-job-runner';
import { type Installation, JOB_DEADLINE_MS } from './installation';
import { killDatabase, type Scenario } from './scenarios';

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
