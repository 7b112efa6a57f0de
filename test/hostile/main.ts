import 'reflect-metadata';
import { Command } from 'commander';
import { rowsOf, sql } from '../../db/core/sql';
import { asTable } from '../../scripts/commands/output';
import { fill } from '../../scripts/lab/bench/generated';
import { onInstallation } from '../../scripts/lab/bench/installation';
import { memoryOf } from '../../scripts/lab/bench/process-watch';
import { hostileCorpus } from './corpus';
import { mutations } from './fuzz';
import { type HostileRequest, sendHostile } from './hostile-calls';

/** The corpus and the fuzzing at the default limits, against processes of their own: `npm run hostile -- fuzz`. */

/** What an `api` without workers and stores in its process may use at its peak, with this heap. */
const RSS_MIB_MAX = 381;
const SETTINGS = {
  ...{ RATE_PER_SECOND: '0', VISION_CONCURRENCY: '0', CONFIDENCE_FLOOR: '0' },
  NODE_OPTIONS: '--max-old-space-size=192',
};
/** The limits of contract 7. */
const LIMITS = { bytesMax: 20 * 1024 * 1024, pixelsMax: 50_000_000 };
const DEADLINE_MS = 15_000;
const SERVERS = [
  '--servers',
  'api and worker on PostgreSQL and Redis, not one embedded process',
  false,
] as const;

interface ServersOption {
  readonly servers: boolean;
}

type FuzzOptions = ServersOption & Readonly<Record<'seed' | 'from' | 'count' | 'concurrency', string>>;

async function main(): Promise<void> {
  const program = new Command('hostile').description(
    'hostile pictures and bodies against a service of its own; fails on an undocumented answer, a crash or too much memory',
  );
  program
    .command('fuzz')
    .description('mutated photos')
    .option('--seed <seed>', 'decides every mutation', '20')
    .option('--from <index>', 'first mutation, to run one again', '0')
    .option('--count <count>', 'mutations', '20000')
    .option('--concurrency <clients>', 'calls at a time', '8')
    .option(...SERVERS)
    .action(({ seed, from, count, concurrency, servers }: FuzzOptions) =>
      run(mutations(Number(seed), Number(from), Number(count)), Number(concurrency), servers),
    );
  program
    .command('corpus')
    .description('the hostile corpus, with bombs as large as the default limits allow')
    .option(...SERVERS)
    .action(({ servers }: ServersOption) => run(hostileCorpus(LIMITS), 2, servers));
  await program.parseAsync();
}

/** Sends the requests to a service and prints the report; the exit status says whether every promise was kept. */
const run = (requests: readonly HostileRequest[], concurrency: number, servers: boolean): Promise<void> =>
  onInstallation(
    { mode: servers ? 'PostgreSQL and Redis' : 'embedded', settings: SETTINGS },
    async (installation, folder) => {
      await installation.start();
      await fill([installation], folder, { products: 24, pictures: 320 });
      const { url, pids } = installation;
      const target = { url, key: await installation.key(), answerMsMax: DEADLINE_MS + 1000 };
      const report = await sendHostile(target, requests, concurrency);
      const faults = [...report.faults];
      const ledger = sql`SELECT coalesce(sum(amount), 0)::float8 AS booked FROM credit_ledger`;
      const [{ booked } = { booked: 0 }] = await installation.onDatabase((knex) =>
        rowsOf<{ booked: number }>(knex, ledger),
      );
      if (booked !== report.creditsUsed)
        faults.push(`${booked} credits are booked, ${report.creditsUsed} were answered`);
      const isReady = await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!isReady) faults.push('the service is not ready any more');
      const peakMib = await memoryOf(pids[0] ?? 0, 'VmHWM');
      if (servers && peakMib > RSS_MIB_MAX) faults.push('the API took more memory than it may');
      const rows = [...report.verdicts].sort(([, left], [, right]) => right - left);
      process.stdout.write(
        `${asTable(['verdict', 'calls'], rows)}\n${booked} credits booked\n` +
          `peak memory of the API: ${peakMib.toFixed(0)} MiB\n` +
          faults.map((fault) => `FAULT ${fault}\n`).join(''),
      );
      if (faults.length > 0) process.exitCode = 1;
    },
  );

void main();
