import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { asTable } from '../../scripts/commands/output';
import { runConcurrently } from '../../scripts/lab/bench/load';
import { hostileCorpus } from './corpus';
import { type HostileReport, photographedPictures, runFuzz } from './fuzz';
import { outcomeOf, type Target } from './outcome';
import { type ServedService, withService } from './served-service';

/** The corpus and the fuzzing at the default limits, against processes of their own: `npm run hostile -- fuzz`. */
const MEGABYTE = 1024 * 1024;
/** What an API process may take at its peak. */
const RSS_BYTES_MAX = 400 * 1_000_000;
/** The limits of contract 7. */
const LIMITS = { bytesMax: 20 * MEGABYTE, pixelsMax: 50_000_000 };
const DEADLINE_MS = 15_000;
const SERVERS = [
  '--servers',
  'api and worker on PostgreSQL and Redis instead of one embedded process',
] as const;

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
    .action(async (given: Record<'seed' | 'from' | 'count' | 'concurrency', string> & { servers?: true }) => {
      const seed = Number(given.seed);
      const pictures = await photographedPictures(seed);
      await withService(given.servers === true, async (service) => {
        const report = await runFuzz({
          ...{ target: targetOf(service), pictures, seed, from: Number(given.from) },
          ...{ count: Number(given.count), concurrency: Number(given.concurrency) },
          onProgress: (done) => {
            if (done % 1000 === 0) process.stderr.write(`${done} of ${given.count}\n`);
          },
        });
        await conclude(service, report);
      });
    });
  program
    .command('corpus')
    .description('the hostile corpus, with bombs as large as the default limits allow')
    .option(...SERVERS)
    .action((given: { servers?: true }) =>
      withService(given.servers === true, async (service) =>
        conclude(service, await runCorpus(targetOf(service))),
      ),
    );
  await program.parseAsync();
}

const targetOf = ({ url, key }: ServedService): Target => ({ url, key, answerMsMax: DEADLINE_MS + 1000 });

async function runCorpus(target: Target): Promise<HostileReport> {
  const corpus = hostileCorpus(LIMITS);
  const verdicts = new Map<string, number>();
  const faults: string[] = [];
  let creditsUsed = 0;
  const { totalMs } = await runConcurrently(corpus.length, 2, async (index) => {
    const entry = corpus[index];
    if (!entry) return;
    const outcome = await outcomeOf(target, { ...entry, body: await entry.body() }).catch(String);
    if (typeof outcome === 'string') return void faults.push(`${entry.kind}, ${entry.name}: ${outcome}`);
    const counted = `${entry.kind}: ${outcome.verdict}`;
    verdicts.set(counted, (verdicts.get(counted) ?? 0) + 1);
    creditsUsed += outcome.creditsUsed;
    const isExpected = entry.verdicts.includes(outcome.verdict);
    const broken = [...outcome.faults, ...(isExpected ? [] : [`${outcome.verdict} is not expected`])];
    if (broken.length > 0) faults.push(`${entry.kind}, ${entry.name}: ${broken.join(', ')}`);
  });
  return { verdicts, faults, creditsUsed, perSecond: (1000 * corpus.length) / totalMs };
}

/** Prints the report; the exit status says whether every promise was kept. */
async function conclude(service: ServedService, report: HostileReport): Promise<void> {
  const faults = [...report.faults];
  const booked = await service.creditsBooked();
  if (booked !== report.creditsUsed)
    faults.push(`${booked} credits are booked, ${report.creditsUsed} were answered`);
  if (!(await service.isReady())) faults.push('the service is not ready any more');
  const peakBytes = await peakMemoryBytes(service.api.pid ?? 0);
  if (peakBytes !== null && peakBytes > RSS_BYTES_MAX) faults.push('the API took more memory than it may');
  const rows = [...report.verdicts].sort(([, left], [, right]) => right - left);
  const peak = peakBytes === null ? 'unknown on this system' : `${(peakBytes / 1_000_000).toFixed(0)} MB`;
  process.stdout.write(
    `${asTable(['verdict', 'calls'], rows)}\n${report.perSecond.toFixed(0)} calls/s, ${booked} credits booked\n` +
      `peak memory of the API: ${peak}\n${faults.map((fault) => `FAULT ${fault}\n`).join('')}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** The peak memory of a process on Linux. */
async function peakMemoryBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

void main();
