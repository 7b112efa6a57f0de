import { SingleBar } from 'cli-progress';

/** Who is told how a build goes on. */
export interface BuildProgress {
  /** So many of all images had been seen to before. */
  begin(images: number, before: number): void;
  reach(seenTo: number, failed: number): void;
  end(): void;
  note(line: string): void;
}

const PLAIN_LINES_MS = 5_000;

/** A progress bar with rate, time left and failures on a terminal; a line from time to time elsewhere. */
export class TerminalBuildProgress implements BuildProgress {
  private bar: SingleBar | null = null;
  private before = 0;
  private startedAt = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(images: number, before: number): void {
    this.before = before;
    this.startedAt = performance.now();
    this.bar = new SingleBar({
      stream: this.stream,
      format: 'images [{bar}] {percentage}% {value}/{total}  {rate}/s  {failed} failed  {eta_formatted} left',
      etaBuffer: 200,
      noTTYOutput: true,
      notTTYSchedule: PLAIN_LINES_MS,
      hideCursor: true,
    });
    this.bar.start(Math.max(images, 1), before, { rate: '-', failed: 0 });
  }

  reach(seenTo: number, failed: number): void {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const rate = seconds > 0 ? ((seenTo - this.before) / seconds).toFixed(1) : '-';
    // Images that came meanwhile were not in the total.
    this.bar?.setTotal(Math.max(this.bar.getTotal(), seenTo));
    this.bar?.update(seenTo, { rate, failed });
  }

  end(): void {
    this.bar?.stop();
    this.bar = null;
  }

  note(line: string): void {
    this.stream.write(`${this.bar && this.stream.isTTY ? '\n' : ''}${line}\n`);
  }
}
