/** What decoders may take together. */
export interface DecodeLimits {
  /** Memory of all pictures that are being decoded. */
  readonly bytesMax: number;
  /** Pictures that are being decoded. */
  readonly decodersMax: number;
}

interface Waiting {
  readonly bytes: number;
  enter(): void;
}

/**
 * Lets pictures be decoded in the order of their arrival, as many at a time as memory and threads are set aside for:
 * many large ones wait for each other instead of taking the process's memory together.
 */
export class DecodeBudget {
  private bytes = 0;
  private decoders = 0;
  private readonly queue = new Set<Waiting>();

  constructor(private readonly limits: DecodeLimits) {}

  /**
   * Runs `work` once `bytes` are free; what needs more than there is runs alone. A caller that gives up is let go at
   * once, but what it started keeps its place until it ends, since decoders can't be stopped.
   *
   * @throws the reason of `signal` when it is aborted, or whatever `work` throws
   */
  async run<Result>(bytes: number, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const taken = Math.min(bytes, this.limits.bytesMax);
    await this.enter(taken, signal);
    const done = work().finally(() => {
      this.bytes -= taken;
      this.decoders -= 1;
      this.admit();
    });
    return signal ? orAborted(done, signal) : done;
  }

  private async enter(bytes: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.queue.delete(waiting);
        reject(signal?.reason);
        this.admit();
      };
      const waiting: Waiting = {
        bytes,
        enter: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.queue.add(waiting);
      this.admit();
    });
  }

  private admit(): void {
    for (const next of this.queue) {
      const { bytesMax, decodersMax } = this.limits;
      if (this.decoders >= decodersMax || this.bytes + next.bytes > bytesMax) return;
      this.queue.delete(next);
      this.bytes += next.bytes;
      this.decoders += 1;
      next.enter();
    }
  }
}

/** Settles as the work does, or rejects once the signal is aborted; then nobody hears of the work's own failure. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
