import { Format, SingleBar } from 'cli-progress';
import { closeAtExit } from '../../db/files/durable-files';
import type { Progress } from '../../models/ports';
import { printable } from './printable';

const PLAIN_LINES_MS = 5_000;

type Counts = Readonly<Record<string, number>>;

const countsText = (done: number, total: number, counts?: Counts): string =>
  counts
    ? Object.entries(counts)
        .map(([unit, count]) => `${count} ${unit}`)
        .join(', ')
    : `${done}/${total}`;

/** Shows the progress of work on a terminal; however the work ends, the display does not keep the process alive. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = new TerminalProgress(stream);
  // Else Ctrl-C would leave a terminal without cursor and line breaks.
  const stop = closeAtExit(() => progress.stop());
  try {
    return await work(progress);
  } finally {
    stop();
  }
}

class TerminalProgress implements Progress {
  #bar: SingleBar | null = null;
  /** What was done before the stage began, and the first value of the count whose rate is shown. */
  #before = 0;
  #counted: number | null = null;
  #hasCounts = false;
  /** Whether the time left can be estimated. */
  #isMoving = false;
  #startedAt = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number, done = 0, counts?: Counts): void {
    // A failed stage was not stopped.
    this.stop();
    [this.#before, this.#counted, this.#hasCounts, this.#isMoving] = [done, null, false, false];
    this.#startedAt = performance.now();
    this.#bar = new SingleBar({
      stream: this.stream,
      format: `{stage} ${this.stream.isTTY ? '[{bar}] ' : ''}{percentage}% {counts}  {rate}/s{failures}  {eta_formatted} left`,
      etaBuffer: 200,
      formatTime: (...given) => (this.#isMoving ? Format.TimeFormat(...given) : '?'),
      ...{ noTTYOutput: true, notTTYSchedule: PLAIN_LINES_MS, hideCursor: true },
    });
    const shown = {
      stage: stage.padEnd(22),
      rate: '-',
      failures: '',
      counts: countsText(done, total, counts),
    };
    this.#bar.start(Math.max(total, 1), done, shown);
  }

  reach(done: number, failed = 0, counts?: Counts): void {
    if (!this.#bar) return;
    // What arrived meanwhile was not in the total.
    this.#bar.setTotal(Math.max(this.#bar.getTotal(), done));
    this.#hasCounts = counts !== undefined;
    this.#isMoving ||= done > this.#before;
    const [counted] = Object.values(counts ?? {});
    this.#counted ??= counted ?? this.#before;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    this.#bar.update(done, {
      counts: countsText(done, this.#bar.getTotal(), counts),
      rate: seconds > 0 ? (((counted ?? done) - this.#counted) / seconds).toFixed(1) : '-',
      failures: failed > 0 ? `  ${failed} failed` : '',
    });
  }

  end(): void {
    this.#isMoving = true;
    const total = this.#bar?.getTotal() ?? 0;
    this.#bar?.update(total, this.#hasCounts ? {} : { counts: `${total}/${total}` });
    this.stop();
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = null;
  }

  note(line: string): void {
    this.stream.write(`${this.#bar && this.stream.isTTY ? '\n' : ''}${printable(line)}\n`);
  }
}
