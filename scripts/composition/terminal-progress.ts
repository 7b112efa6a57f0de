import { SingleBar } from 'cli-progress';
import type { Progress } from '../../models/ports';
import { printable } from './printable';

const PLAIN_LINES_MS = 5_000;

/** Shows on a terminal how work goes on; whatever becomes of it, nothing of that is left to keep the process alive. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = new TerminalProgress(stream);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** A progress bar with rate, failures and time left on a terminal; a line from time to time elsewhere. */
class TerminalProgress implements Progress {
  private bar: SingleBar | null = null;
  private before = 0;
  private startedAt = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number, done = 0): void {
    // A stage that failed has not ended.
    this.stop();
    this.before = done;
    this.startedAt = performance.now();
    this.bar = new SingleBar({
      stream: this.stream,
      format: `{stage} ${this.stream.isTTY ? '[{bar}] ' : ''}{percentage}% {value}/{total}  {rate}/s{failures}  {eta_formatted} left`,
      etaBuffer: 200,
      noTTYOutput: true,
      notTTYSchedule: PLAIN_LINES_MS,
      hideCursor: true,
    });
    this.bar.start(Math.max(total, 1), done, { stage: stage.padEnd(22), rate: '-', failures: '' });
  }

  reach(done: number, failed = 0): void {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const rate = seconds > 0 ? ((done - this.before) / seconds).toFixed(1) : '-';
    // What came meanwhile was not in the total.
    this.bar?.setTotal(Math.max(this.bar.getTotal(), done));
    this.bar?.update(done, { rate, failures: failed > 0 ? `  ${failed} failed` : '' });
  }

  end(): void {
    this.bar?.update(this.bar.getTotal());
    this.stop();
  }

  stop(): void {
    this.bar?.stop();
    this.bar = null;
  }

  note(line: string): void {
    this.stream.write(`${this.bar && this.stream.isTTY ? '\n' : ''}${printable(line)}\n`);
  }
}
