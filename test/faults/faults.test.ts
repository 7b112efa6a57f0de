import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { asTable } from '../../scripts/commands/output';
import { processEnvironment } from '../../scripts/config';
import { audit, type Books, openAccount, type Payer } from './books';
import { DEADLINE_MS, type Installation, JOB_DEADLINE_MS, startInstallation } from './installation';
import { ENTRIES, runJobs } from './jobs';
import { type CallPlan, identify, type Outcome, runLoad } from './load';
import { JOB_SCENARIOS, photoCall, SCENARIOS, type Scenario } from './scenarios';

/**
 * What happens to calls while parts of the service die, hang and come back (docs/reliability.md). Everything is real:
 * processes, signals, PostgreSQL, Redis. `FAULT_CALLS` says how many calls a scenario has at least; from a thousand on
 * it is the full form.
 */
const CALLS = Number(processEnvironment()['FAULT_CALLS'] ?? 100);
const IS_FULL = CALLS >= 1_000;
/** In the short form the processes that start anew have much of the machine to themselves. */
const PAUSE_MS = IS_FULL ? 0 : 100;
const ROUNDS = {
  slow: Math.max(1, Math.round(CALLS / 300)),
  quick: Math.max(2, Math.round(CALLS / (IS_FULL ? 20 : 50))),
};
const CONCURRENCY = 16;
const LATE_MS = DEADLINE_MS + 1_000;
/** "Recovers within seconds". */
const BACK_MS_MAX = 20_000;
const POLL_MS = 20;
/** Photos of the looks at whether the service is back, unlike those of the load. */
const PROBES_FROM = 60_000;
const SCENARIO_MS_MAX = IS_FULL ? 1_800_000 : 180_000;

interface Row {
  readonly scenario: string;
  readonly outcomes: readonly Outcome[];
  readonly books: Books;
  /** What else was not as it must be. */
  readonly faults: readonly string[];
  readonly backMs: number;
}

const rows: Row[] = [];
let installation: Installation;
let prober: Payer;
let probes = 0;

beforeAll(async () => {
  installation = await startInstallation();
  prober = await openAccount(installation, 'probes');
  await back();
}, 180_000);

afterAll(async () => {
  process.stderr.write(`\n${tableOf(rows)}\n`);
  await installation?.stop();
}, 60_000);

describe(`under ${CALLS} calls`, () => {
  scenarios(SCENARIOS);

  describe('of vision jobs', () => {
    beforeAll(async () => {
      const settings = { VISION_DEADLINE_MS: String(JOB_DEADLINE_MS) };
      await Promise.all(installation.apis.map((api) => api.restart(settings)));
      await back();
    }, 180_000);

    scenarios(JOB_SCENARIOS);
  });
});

function scenarios(all: readonly Scenario[]): void {
  test.each(all.filter(({ long }) => IS_FULL || !long).map((each) => [each.name, each] as const))(
    '%s',
    async (_name, scenario) => {
      const row = await run(scenario);
      rows.push(row);
      process.stderr.write(`\n${tableOf([row])}\n`);
      expect(faultsOf(row, scenario)).toEqual([]);
    },
    SCENARIO_MS_MAX,
  );
}

async function run(scenario: Scenario): Promise<Row> {
  const payer = await openAccount(installation, scenario.name);
  let planned = 0;
  let backMs = 0;
  const stage = {
    installation,
    rounds: ROUNDS,
    progress: async (calls: number) => {
      const until = planned + calls;
      while (planned < until) await delay(POLL_MS);
    },
    back: async () => {
      backMs = Math.max(backMs, await back());
    },
  };
  const pace = {
    callsMin: scenario.jobs ? CALLS / ENTRIES : CALLS,
    concurrency: scenario.concurrency ?? CONCURRENCY,
    pauseMs: PAUSE_MS,
    faults: delay(POLL_MS).then(() => scenario.disturb(stage)),
  };
  const ended = (calls: number): void => {
    planned += calls;
  };
  const plan = (call: number): Promise<CallPlan> => {
    ended(1);
    return scenario.plan?.(installation, call) ?? photoCall(installation, call);
  };
  const { outcomes, faults } = scenario.jobs
    ? await runJobs(installation, payer, pace, ended)
    : { outcomes: await runLoad(installation, { ...pace, key: payer.key, plan }), faults: [] };
  const books = await audit(installation, payer, outcomes);
  return { scenario: scenario.name, outcomes, faults, backMs, books };
}

/** Milliseconds until every api says that it is ready and answers a photo right. */
async function back(): Promise<number> {
  const started = performance.now();
  for (;;) {
    const states = await Promise.all(installation.apis.map(({ url }) => isReady(url)));
    const answers = states.every(Boolean) ? await Promise.all(installation.apis.map(probe)) : [false];
    const tookMs = performance.now() - started;
    if (answers.every(Boolean)) return tookMs;
    if (tookMs > BACK_MS_MAX) return Number.POSITIVE_INFINITY;
    await delay(POLL_MS);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/readyz`, { headersTimeout: BACK_MS_MAX });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

async function probe(_api: unknown, index: number): Promise<boolean> {
  probes += 1;
  const plan = await photoCall(installation, PROBES_FROM + (probes % 5_000));
  const { status, fault } = await identify(installation, prober.key, index, plan);
  return status === 200 && fault === null;
}

/** Every promise that was not kept, in words. */
function faultsOf({ outcomes, books, faults: others, backMs }: Row, scenario: Scenario): string[] {
  const faults: string[] = [...books.faults, ...others];
  for (const { requestId, end, status, refusal, tookMs, fault } of outcomes) {
    if (fault !== null) faults.push(`${requestId}: ${fault}`);
    if (tookMs > LATE_MS && !scenario.jobs)
      faults.push(`${requestId}: ${status ?? end} after ${Math.round(tookMs)} ms`);
    if (status !== null && !scenario.statuses.includes(status))
      faults.push(`${requestId}: ${status} ${refusal}`);
    if (end === 'connection lost' && !scenario.losesConnections) faults.push(`${requestId}: ${end}`);
  }
  if (backMs > BACK_MS_MAX) faults.push('the service does not come back');
  for (const part of [...installation.apis, ...installation.workers]) {
    if (!part.isRunning) faults.push('a process ended by itself');
  }
  return faults;
}

function tableOf(all: readonly Row[]): string {
  const statuses = [200, 422, 429, 500, 503, 504];
  const head = ['fault', 'calls', ...statuses.map(String), 'no answer', 'wrong', 'slowest s', 'back s'];
  return asTable(
    [...head, 'credits answered', 'booked', 'of that unanswered', 'reserved'],
    all.map(({ scenario, outcomes, books, backMs }) => [
      scenario,
      outcomes.length,
      ...statuses.map((status) => outcomes.filter((each) => each.status === status).length),
      outcomes.filter(({ end }) => end !== 'answered').length,
      outcomes.filter(({ fault }) => fault !== null).length,
      (Math.max(...outcomes.map(({ tookMs }) => tookMs)) / 1000).toFixed(1),
      (backMs / 1000).toFixed(1),
      books.answered,
      books.booked,
      books.unanswered,
      books.reservations,
    ]),
  );
}
