import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { asTable } from '../../scripts/commands/output';
import { runConcurrently } from '../../scripts/lab/bench/measure';
import { hostileCorpus } from './corpus/hostile-corpus';
import { photographedPictures } from './fuzz/photographed-pictures';
import { type FuzzReport, runFuzz } from './fuzz/run-fuzz';
import { outcomeOf, type Target } from './outcome';
import { type ServedService, withService } from './served-service';
import { figuresOf, soakOfStrangers } from './soak-of-strangers';

/** The whole corpus and fuzzing run against processes of their own: `node --import tsx test/hostile/main.ts fuzz`. */
const SEED = 20;
const MEGABYTE = 1024 * 1024;
/** What an API process may take at its peak. */
const RSS_BYTES_MAX = 400 * 1_000_000;
/** The limits of contract 7. */
const LIMITS = { bytesMax: 20 * MEGABYTE, pixelsMax: 50_000_000 };
const DEADLINE_MS = 15_000;

async function main(): Promise<void> {
  const program = new Command('hostile').description(
    'hostile images and bodies against a service of its own',
  );
  program
    .command('fuzz')
    .description('mutated photos; fails on an undocumented status, a crash, or too much memory')
    .option('--seed <seed>', 'decides every mutation', String(SEED))
    .option('--from <index>', 'first mutation, to run one again', '0')
    .option('--count <count>', 'mutations', '20000')
    .option('--concurrency <clients>', 'calls at a time', '8')
    .option('--servers', 'api and worker on PostgreSQL and Redis instead of one embedded process', false)
    .action(
      async (given: Record<'seed' | 'from' | 'count' | 'concurrency', string> & { servers: boolean }) => {
        const seed = Number(given.seed);
        const pictures = await photographedPictures(seed);
        await withService(given.servers, async (service) => {
          const report = await runFuzz({
            target: targetOf(service),
            pictures,
            seed,
            from: Number(given.from),
            count: Number(given.count),
            concurrency: Number(given.concurrency),
            onProgress: (done) => {
              if (done % 1000 === 0) process.stderr.write(`${done} of ${given.count}\n`);
            },
          });
          await conclude(service, `fuzz: ${given.count} mutations, seed ${seed}`, report);
        });
      },
    );
  program
    .command('corpus')
    .description('the hostile corpus at the default limits, whose bombs are as large as they may be')
    .option('--seed <seed>', 'decides what is left to chance in it', String(SEED))
    .option('--servers', 'api and worker on PostgreSQL and Redis instead of one embedded process', false)
    .action(async (given: { seed: string; servers: boolean }) => {
      await withService(given.servers, async (service) => {
        const report = await runCorpus(targetOf(service), Number(given.seed));
        await conclude(service, `corpus, seed ${given.seed}`, report);
      });
    });
  program
    .command('strangers')
    .description(
      'requests sent ahead, hang-ups, slow bodies, replays, slow jobs, large pictures; fails where others suffer',
    )
    .option('--seed <seed>', 'decides what each caller does', String(SEED))
    .option('--seconds <seconds>', 'how long', '600')
    .option('--servers', 'api and worker on PostgreSQL and Redis instead of one embedded process', false)
    .action(async (given: { seed: string; seconds: string; servers: boolean }) => {
      const report = await soakOfStrangers(Number(given.seed), Number(given.seconds), given.servers);
      process.stdout.write(
        `${asTable(['calls', 'number'], [...report.calls])}\nthe other account: ${figuresOf(report)}\n`,
      );
      for (const fault of report.faults) process.stdout.write(`FAULT ${fault}\n`);
      if (report.faults.length > 0) process.exitCode = 1;
    });
  await program.parseAsync();
}

const targetOf = ({ url, key }: ServedService): Target => ({ url, key, answerMsMax: DEADLINE_MS + 1000 });

async function runCorpus(target: Target, seed: number): Promise<FuzzReport> {
  const corpus = await hostileCorpus(seed, LIMITS);
  const verdicts = new Map<string, number>();
  const faults: string[] = [];
  let creditsUsed = 0;
  const { totalMs } = await runConcurrently(corpus.length, 2, async (index) => {
    const entry = corpus[index];
    if (!entry) return;
    const outcome = await outcomeOf(target, { ...entry, body: entry.make() }).catch(String);
    if (typeof outcome === 'string') return void faults.push(`${entry.kind}, ${entry.name}: ${outcome}`);
    const counted = `${entry.kind}: ${outcome.verdict}`;
    verdicts.set(counted, (verdicts.get(counted) ?? 0) + 1);
    creditsUsed += outcome.creditsUsed;
    const broken = [...outcome.faults];
    if (!entry.verdicts.includes(outcome.verdict))
      broken.push(`${outcome.verdict} instead of ${entry.verdicts.join(' or ')}`);
    if (broken.length > 0) faults.push(`${entry.kind}, ${entry.name}: ${broken.join(', ')}`);
  });
  return { verdicts, faults, creditsUsed, perSecond: (1000 * corpus.length) / totalMs };
}

/** Prints what came of it; the exit status says whether every promise was kept. */
async function conclude(service: ServedService, title: string, report: FuzzReport): Promise<void> {
  const faults = [...report.faults];
  const booked = await service.creditsBooked();
  if (booked !== report.creditsUsed)
    faults.push(`${booked} credits are booked, ${report.creditsUsed} were answered`);
  if (!(await service.isReady())) faults.push('the service is not ready any more');
  const peakBytes = await peakMemoryBytes(service.api.pid ?? 0);
  if (peakBytes !== null && peakBytes > RSS_BYTES_MAX) faults.push('the API took more memory than it may');
  const rows = [...report.verdicts].sort(([, left], [, right]) => right - left);
  process.stdout.write(`${title}\n${asTable(['verdict', 'calls'], rows)}\n`);
  process.stdout.write(`${report.perSecond.toFixed(0)} calls/s, ${booked} credits booked and answered\n`);
  process.stdout.write(
    `peak memory of the API: ${peakBytes === null ? 'not told by this system' : `${(peakBytes / 1_000_000).toFixed(0)} MB`}\n`,
  );
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

/** The most memory that a process ever had, where the system tells (Linux). */
async function peakMemoryBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

main().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
