import { setTimeout as delay } from 'node:timers/promises';
import { processEnvironment } from '../../scripts/config';
import { openAccount, type Payer } from '../support/open-account';
import { type Audit, auditAccount, CREDITS } from './accounts';
import { DEADLINE_MS, type Installation, JOB_DEADLINE_MS, startInstallation } from './installation';
import { ENTRIES, runJobs } from './jobs';
import { identify, type Outcome, runClients } from './load';
import { JOB_SCENARIOS, photoCall, SCENARIOS, type Scenario } from './scenarios';

/** Parts of the service die, hang and come back (docs/reliability.md). `FAULT_CALLS`: least calls of a scenario; the full form from 1000 on. */
const CALLS = Number(processEnvironment()['FAULT_CALLS'] ?? 100);
const IS_FULL = CALLS >= 1_000;
const ROUNDS = {
  slow: Math.max(1, Math.round(CALLS / 300)),
  quick: Math.max(2, Math.round(CALLS / (IS_FULL ? 20 : 50))),
};
/** Of a client, before a fault and after it. In the short form, most processor time is left to processes that restart. */
const PAUSES_MS = IS_FULL ? { before: 0, after: 0 } : { before: 100, after: 500 };
const LATE_MS = DEADLINE_MS + 1_000;
/** "Recovers within seconds". */
const BACK_MS_MAX = 20_000;
const POLL_MS = 20;

const closers: (() => Promise<unknown>)[] = [];
let installation: Installation;
const PAYS = { credits: CREDITS, test: true };
let prober: Payer;
/** Number of the next photo of a probe, unlike those of the load. */
let probe = 60_000;

beforeAll(async () => {
  installation = await startInstallation(closers);
  prober = await openAccount(installation.database.knex, PAYS);
  await back();
}, 180_000);

afterAll(async () => {
  for (const close of closers.reverse()) await close();
}, 60_000);

describe(`under ${CALLS} calls`, () => {
  scenarios(SCENARIOS);

  describe('of vision jobs', () => {
    beforeAll(async () => {
      for (const api of installation.apis) {
        await api.stop();
        await api.start({ VISION_DEADLINE_MS: String(JOB_DEADLINE_MS) });
      }
      await back();
    }, 180_000);

    scenarios(JOB_SCENARIOS);
  });
});

function scenarios(all: Readonly<Record<string, Scenario>>): void {
  test.each(Object.entries(all).filter(([, { long }]) => IS_FULL || !long))(
    '%s',
    async (name, scenario) => {
      const payer = await openAccount(installation.database.knex, PAYS);
      let ended = 0;
      let backMs = 0;
      let pauseMs = PAUSES_MS.before;
      const stage = {
        ...{ installation, rounds: ROUNDS },
        progress: async (calls: number) => {
          const until = ended + calls;
          pauseMs = PAUSES_MS.before;
          while (ended < until) await delay(POLL_MS);
          pauseMs = PAUSES_MS.after;
        },
        back: async () => {
          backMs = Math.max(backMs, await back());
        },
      };
      const load = scenario.jobs ? runJobs : runCalls(scenario);
      const { outcomes, faults } = await load(
        installation,
        payer,
        {
          callsMin: scenario.jobs ? CALLS / ENTRIES : CALLS,
          concurrency: scenario.concurrency ?? 16,
          pauseMs: () => pauseMs,
          faults: delay(POLL_MS).then(() => scenario.disturb(stage)),
        },
        (calls) => {
          ended += calls;
        },
      );
      const audit = await auditAccount(installation.database.knex, payer, outcomes);
      process.stderr.write(`\n${summaryOf(name, outcomes, audit, backMs)}\n`);
      if (backMs > BACK_MS_MAX) throw new Error('the service does not come back');
      expect([...faults, ...audit.faults, ...faultsOf(outcomes, scenario)]).toEqual([]);
    },
    IS_FULL ? 1_800_000 : 180_000,
  );
}

const runCalls =
  (scenario: Scenario): typeof runJobs =>
  async (here, { key }, pace, ended) => {
    const outcomes: Outcome[] = [];
    await runClients(pace, async (call) => {
      ended(1);
      outcomes.push(await identify(here, key, call, await (scenario.plan ?? photoCall)(call)));
    });
    return { outcomes, faults: [] };
  };

/** Milliseconds until every api is ready and answers a photo right. */
async function back(): Promise<number> {
  const started = performance.now();
  const isBack = async (url: string, index: number): Promise<boolean> => {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (!isReady) return false;
    const { status, fault } = await identify(installation, prober.key, index, await photoCall(probe++));
    return status === 200 && fault === null;
  };
  for (;;) {
    const answers = await Promise.all(installation.apis.map(({ url }, index) => isBack(url, index)));
    const tookMs = performance.now() - started;
    if (answers.every(Boolean)) return tookMs;
    if (tookMs > BACK_MS_MAX) return Number.POSITIVE_INFINITY;
    await delay(POLL_MS);
  }
}

function faultsOf(outcomes: readonly Outcome[], scenario: Scenario): string[] {
  const faults: string[] = [];
  for (const { requestId, status, message, tookMs, fault } of outcomes) {
    const complain = (what: string) => void faults.push(`${requestId}: ${what}`);
    if (fault !== null) complain(fault);
    if (tookMs > LATE_MS && !scenario.jobs) complain(`${status} after ${Math.round(tookMs)} ms`);
    if (typeof status === 'number' && !scenario.statuses.includes(status)) complain(`${status} ${message}`);
    if (status === 'connection lost' && !scenario.losesConnections) complain(status);
  }
  for (const part of [...installation.apis, ...installation.workers])
    if (!part.isRunning) faults.push('a process ended by itself');
  return faults;
}

/** A row of the table in docs/reliability.md. */
function summaryOf(name: string, outcomes: readonly Outcome[], audit: Audit, backMs: number): string {
  const counts = new Map<unknown, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    `${name}: ${outcomes.length} calls`,
    ...Array.from(counts, ([status, count]) => `${status}: ${count}`),
    `slowest ${seconds(Math.max(...outcomes.map(({ tookMs }) => tookMs)))}, back ${seconds(backMs)}`,
    `${audit.answered} credits answered, ${audit.booked} booked`,
  ].join('; ');
}
