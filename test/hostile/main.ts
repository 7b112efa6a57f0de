import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { asTable } from '../../scripts/commands/output';
import { hostileCorpus } from './corpus';
import { mutations } from './fuzz';
import { type HostileRequest, sendHostile } from './hostile-calls';
import { serve } from './served-service';

/** The corpus and the fuzzing at the default limits, against processes of their own: `npm run hostile -- fuzz`. */

/** What an `api` without workers and stores in its process may take at its peak, with this heap. */
const RSS_BYTES_MAX = 400 * 1_000_000;
const HEAP = { NODE_OPTIONS: '--max-old-space-size=192' };
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
async function run(
  requests: readonly HostileRequest[],
  concurrency: number,
  servers: boolean,
): Promise<void> {
  const service = await serve({ servers, settings: HEAP });
  try {
    const target = { url: service.url, key: service.key, answerMsMax: DEADLINE_MS + 1000 };
    const report = await sendHostile(target, requests, concurrency);
    const faults = [...report.faults];
    const booked = await service.creditsBooked();
    if (booked !== report.creditsUsed)
      faults.push(`${booked} credits are booked, ${report.creditsUsed} were answered`);
    if (!(await service.isReady())) faults.push('the service is not ready any more');
    const peakBytes = await peakMemoryBytes(service.api.pid ?? 0);
    if (servers && peakBytes > RSS_BYTES_MAX) faults.push('the API took more memory than it may');
    const rows = [...report.verdicts].sort(([, left], [, right]) => right - left);
    process.stdout.write(
      `${asTable(['verdict', 'calls'], rows)}\n${booked} credits booked\n` +
        `peak memory of the API: ${(peakBytes / 1_000_000).toFixed(0)} MB\n` +
        faults.map((fault) => `FAULT ${fault}\n`).join(''),
    );
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await service.stop();
  }
}

/** The peak memory of a process; NaN where the system does not tell it as Linux does. */
async function peakMemoryBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

void main();
