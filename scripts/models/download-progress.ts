import { SingleBar } from 'cli-progress';

/** Who is told how a download goes on. */
export interface DownloadProgress {
  /** @param total bytes of the file; null when the server does not say */
  begin(name: string, done: number, total: number | null): void;
  reach(done: number): void;
  end(): void;
}

const PLAIN_LINES_MS = 5_000;
const MIB = 2 ** 20;

/** A bar on a terminal, a line from time to time elsewhere. */
export class TerminalDownloadProgress implements DownloadProgress {
  #bar: SingleBar | null = null;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(name: string, done: number, total: number | null): void {
    const size = total === null ? 'of unknown size' : `${(total / MIB).toFixed(1)} MiB`;
    this.stream.write(
      `${name}, ${size}${done > 0 ? `, ${(done / MIB).toFixed(1)} MiB of it are here` : ''}\n`,
    );
    if (total === null) return;
    this.#bar = new SingleBar({
      stream: this.stream,
      format: '[{bar}] {percentage}%, {eta_formatted} left',
      noTTYOutput: true,
      notTTYSchedule: PLAIN_LINES_MS,
      hideCursor: true,
    });
    this.#bar.start(Math.max(total, 1), done);
  }

  reach(done: number): void {
    this.#bar?.update(done);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = null;
  }
}
