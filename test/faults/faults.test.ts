import { setTimeout as delay } from 'node:timers/promises';
import { asTable } from '../../scripts/commands/output';
import { processEnvironment } from '../../scripts/config';
import { type Audit, auditAccount, openAccount, type Payer } from './accounts';
import { DEADLINE_MS, type Installation, JOB_DEADLINE_MS, startInstallation } from './installation';
import { ENTRIES, runJobs } from './jobs';
import { identify, type Outcome, runClients } from './load';
import { JOB_SCENARIOS, photoCall, SCENARIOS, type Scenario } from './scenarios';

/**
 * What happens to calls while parts of the service die, hang and come back (docs/reliability.md). Everything is real:
 * processes, signals, PostgreSQL, Redis. `FAULT_CALLS` says how many calls a scenario has at least; from a thousand on
 * it is the full form.
 */
const CALLS = Number(processEnvironment()['FAULT_CALLS'] ?? 100);
const IS_FULL = CALLS >= 1_000;
const ROUNDS = {
  slow: Math.max(1, Math.round(CALLS / 300)),
  quick: Math.max(2, Math.round(CALLS / (IS_FULL ? 20 : 50))),
};
const CONCURRENCY = 16;
const LATE_MS = DEADLINE_MS + 1_000;
/** "Recovers within seconds". */
const BACK_MS_MAX = 20_000;
const POLL_MS = 20;

interface Row {
  readonly scenario: string;
  readonly outcomes: readonly Outcome[];
  readonly audit: Audit;
  readonly backMs: number;
}

const rows: Row[] = [];
const closers: (() => Promise<unknown>)[] = [];
let installation: Installation;
let prober: Payer;
/** Number of the next photo of a probe, unlike those of the load. */
let probe = 60_000;

beforeAll(async () => {
  installation = await startInstallation(closers);
  prober = await openAccount(installation.database.knex);
  await back();
}, 180_000);

afterAll(async () => {
  process.stderr.write(`\n${tableOf(rows)}\n`);
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

function scenarios(all: readonly Scenario[]): void {
  test.each(all.filter(({ long }) => IS_FULL || !long).map((each) => [each.name, each] as const))(
    '%s',
    async (_name, scenario) => {
      const { row, faults } = await run(scenario);
      rows.push(row);
      process.stderr.write(`\n${tableOf([row])}\n`);
      expect([...faults, ...row.audit.faults, ...faultsOf(row, scenario)]).toEqual([]);
    },
    IS_FULL ? 1_800_000 : 180_000,
  );
}

async function run(scenario: Scenario): Promise<{ row: Row; faults: readonly string[] }> {
  const payer = await openAccount(installation.database.knex);
  let ended = 0;
  let backMs = 0;
  const stage = {
    installation,
    rounds: ROUNDS,
    progress: async (calls: number) => {
      const until = ended + calls;
      while (ended < until) await delay(POLL_MS);
    },
    back: async () => {
      backMs = Math.max(backMs, await back());
    },
  };
  const pace = {
    callsMin: scenario.jobs ? CALLS / ENTRIES : CALLS,
    concurrency: scenario.concurrency ?? CONCURRENCY,
    // In the short form the processes that start anew have much of the machine to themselves.
    pauseMs: IS_FULL ? 0 : 100,
    faults: delay(POLL_MS).then(() => scenario.disturb(stage)),
  };
  const calls = async () => {
    const outcomes: Outcome[] = [];
    await runClients(pace, async (call) => {
      ended += 1;
      const plan = scenario.plan ?? photoCall;
      outcomes.push(await identify(installation, payer.key, call, await plan(installation, call)));
    });
    return { outcomes, faults: [] };
  };
  const jobs = () =>
    runJobs(installation, payer, pace, (entries) => {
      ended += entries;
    });
  const { outcomes, faults } = await (scenario.jobs ? jobs() : calls());
  const audit = await auditAccount(installation.database.knex, payer, outcomes);
  return { row: { scenario: scenario.name, outcomes, backMs, audit }, faults };
}

/** Milliseconds until every api is ready and answers a photo right. */
async function back(): Promise<number> {
  const started = performance.now();
  const isBack = async (url: string, index: number): Promise<boolean> => {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (!isReady) return false;
    const { status, fault } = await identify(
      installation,
      prober.key,
      index,
      await photoCall(installation, probe++),
    );
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

/** Every promise that was not kept, in words. */
function faultsOf({ outcomes, backMs }: Row, scenario: Scenario): string[] {
  const faults: string[] = [];
  for (const { requestId, status, message, tookMs, fault } of outcomes) {
    const complain = (what: string) => void faults.push(`${requestId}: ${what}`);
    if (fault !== null) complain(fault);
    if (tookMs > LATE_MS && !scenario.jobs) complain(`${status} after ${Math.round(tookMs)} ms`);
    if (typeof status === 'number' && !scenario.statuses.includes(status)) complain(`${status} ${message}`);
    if (status === 'connection lost' && !scenario.losesConnections) complain(status);
  }
  if (backMs > BACK_MS_MAX) faults.push('the service does not come back');
  for (const part of [...installation.apis, ...installation.workers]) {
    if (!part.isRunning) faults.push('a process ended by itself');
  }
  return faults;
}

function tableOf(all: readonly Row[]): string {
  const statuses = [200, 422, 429, 500, 503, 504];
  return asTable(
    [
      'fault',
      'calls',
      ...statuses.map(String),
      'no answer',
      'slowest s',
      'back s',
      'credits answered',
      'booked',
    ],
    all.map(({ scenario, outcomes, audit: { answered, booked }, backMs }) => [
      scenario,
      outcomes.length,
      ...statuses.map((status) => outcomes.filter((each) => each.status === status).length),
      outcomes.filter(({ status }) => typeof status === 'string').length,
      (Math.max(...outcomes.map(({ tookMs }) => tookMs)) / 1000).toFixed(1),
      ...[(backMs / 1000).toFixed(1), answered, booked],
    ]),
  );
}
