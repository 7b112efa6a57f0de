import { SingleBar } from 'cli-progress';

/** Who is told how an import goes on. */
export interface ImportProgress {
  /** A stage begins that ends at `total`, in whatever unit it counts. */
  begin(stage: string, total: number): void;
  /** How far the stage is. */
  reach(done: number): void;
  end(): void;
  /** Something worth reading that is no reject. */
  note(line: string): void;
}

const PLAIN_LINES_MS = 5_000;

/** Shows on a terminal how work goes on; whatever becomes of it, nothing of that is left to keep the process alive. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream,
  work: (progress: ImportProgress) => Promise<Result>,
): Promise<Result> {
  const progress = new TerminalProgress(stream);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** A progress bar on a terminal, a line from time to time elsewhere. */
class TerminalProgress implements ImportProgress {
  private bar: SingleBar | null = null;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number): void {
    this.bar = new SingleBar({
      stream: this.stream,
      format: '{stage} [{bar}] {percentage}% {eta_formatted}',
      noTTYOutput: true,
      notTTYSchedule: PLAIN_LINES_MS,
      hideCursor: true,
    });
    this.bar.start(Math.max(total, 1), 0, { stage: stage.padEnd(22) });
  }

  reach(done: number): void {
    this.bar?.update(done);
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
    this.stream.write(`${this.bar && this.stream.isTTY ? '\n' : ''}${line}\n`);
  }
}
