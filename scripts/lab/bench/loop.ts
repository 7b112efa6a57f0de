import { readFileSync } from 'node:fs';
import { constants, cpus, setPriority } from 'node:os';
import { PerformanceObserver } from 'node:perf_hooks';
import { defaultThreads } from '../../../workers/embedder/inference-pool';
import { SharpImagePreparer } from '../../../workers/image/sharp-image-preparer';
import { bundledModel } from '../../../workers/library/model-library';
import { readConfig } from '../../config';
import { embeddersOf, versionOf } from './inference-alone';
import { type Cell, type Measurement, percentiles, runConcurrently } from './measure';
import { drawPhotos, machine } from './vision-installation';

const CONCURRENCY = 16;
const PHOTO_SIDE = 640;
const PRODUCTS = 24;

/** The time between two turns of the event loop beyond the millisecond that was asked for, and what it went to. */
interface Gap {
  readonly lateMs: number;
  /** The main thread computed: callers waited for this process. */
  readonly ranMs: number;
  /** It could have gone on and had no processor. */
  readonly waitedMs: number;
}

/** What inference does to the event loop of the thread that hands it out: a process that does nothing else. */
export async function benchLoop({ photos }: { photos: number }): Promise<Measurement> {
  const config = readConfig({});
  const preparer = new SharpImagePreparer({
    bytesMax: config.IMAGE_BYTES_MAX,
    pixelsMax: config.IMAGE_PIXELS_MAX,
  });
  const drawn = await drawPhotos(PRODUCTS, PHOTO_SIDE);
  const jpegs = await Promise.all(drawn.map(async (photo) => (await preparer.prepare(photo)).jpeg));
  const model = await bundledModel();
  const embedders = embeddersOf(model);
  raisePriority();
  const watch = new LoopWatch();
  try {
    const starting = watch.during(embedders.forVersion(versionOf(model)));
    const rows = [rowOf('start of the threads, loading, trial', await starting.gaps)];
    const embedder = await starting.done;
    const running = watch.during(
      runConcurrently(photos, CONCURRENCY, async (index) => {
        await embedder.embed([jpegs[index % jpegs.length] ?? Buffer.alloc(0)], 'query');
      }),
    );
    rows.push(rowOf(`${photos} photos`, await running.gaps));
    return {
      title: `loop: delays of the main thread's event loop, ${defaultThreads(cpus().length)} threads of inference, ${machine()}`,
      head: HEAD,
      rows,
      notes: [
        'Milliseconds beyond the one asked for. Ran: of the longest delays, that in which the thread computed longest. Waited: the longest that it waited for a processor.',
        `Longest pause of the garbage collector: ${watch.longestPauseMs.toFixed(1)} ms.`,
      ],
    };
  } finally {
    await embedders.close();
  }
}

const HEAD = ['while', 'turns', 'p50', 'p99', 'p99.9', 'longest', 'over 50 ms', 'ran', 'waited'];

function rowOf(name: string, gaps: readonly Gap[]): Cell[] {
  const late = gaps.map(({ lateMs }) => lateMs);
  const most = (of: (gap: Gap) => number) => Math.max(0, ...gaps.map(of)).toFixed(1);
  return [
    name,
    gaps.length,
    ...percentiles(late, 1, 0.5, 0.99, 0.999, 1),
    late.filter((ms) => ms > 50).length,
    most(({ ranMs }) => ranMs),
    most(({ waitedMs }) => waitedMs),
  ];
}

/** So that what other programs do is seen as little as can be; only an administrator may. */
function raisePriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    process.stderr.write('the priority can not be raised: other programs show in the delays\n');
  }
}

class LoopWatch {
  longestPauseMs = 0;

  constructor() {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.longestPauseMs = Math.max(this.longestPauseMs, duration);
      }
    }).observe({ entryTypes: ['gc'] });
  }

  /** Looks every millisecond until `work` has ended. */
  during<Result>(work: Promise<Result>): { done: Promise<Result>; gaps: Promise<readonly Gap[]> } {
    const gaps: Gap[] = [];
    let last = { at: performance.now(), ...threadTimes() };
    const timer = setInterval(() => {
      const now = { at: performance.now(), ...threadTimes() };
      gaps.push({
        lateMs: Math.max(0, now.at - last.at - 1),
        ranMs: now.ranMs - last.ranMs,
        waitedMs: now.waitedMs - last.waitedMs,
      });
      last = now;
    }, 1);
    const done = work.finally(() => clearInterval(timer));
    return { done, gaps: done.then(() => gaps) };
  }
}

/** How long the main thread has run, and has waited for a processor (proc(5), schedstat); zeros on other systems. */
function threadTimes(): { ranMs: number; waitedMs: number } {
  try {
    const [ran = 0, waited = 0] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}
