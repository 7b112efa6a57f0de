import { badRequest } from '../../models/errors';

/** How fast a body must come at least. */
export interface UploadPace {
  /** Bytes per second; 0 is off. */
  readonly bytesPerSecond: number;
  /** Over which it is measured: a connection may stand still for a shorter time. */
  readonly windowMs: number;
}

/** Watches whether a body comes fast enough; its end calls back once, with what to answer. */
export class PaceWatch {
  readonly #looking: NodeJS.Timeout | null;
  #came = 0;
  /** Whether the service reads nothing now, and whether it did so in any part of this window. */
  #held = false;
  #wasHeld = false;

  constructor(
    private readonly pace: UploadPace,
    private readonly tooSlow: (failure: Error) => void,
  ) {
    this.#looking = pace.bytesPerSecond > 0 ? setInterval(() => this.#look(), pace.windowMs) : null;
  }

  /** So many bytes came. */
  came(bytes: number): void {
    this.#came += bytes;
  }

  /** The service stops reading, and later reads on: windows in between say nothing about the sender. */
  hold(): void {
    this.#held = true;
    this.#wasHeld = true;
  }

  release(): void {
    this.#held = false;
  }

  stop(): void {
    if (this.#looking) clearInterval(this.#looking);
  }

  #look(): void {
    const { bytesPerSecond, windowMs } = this.pace;
    const expected = (bytesPerSecond * windowMs) / 1000;
    if (!this.#wasHeld && this.#came < expected) {
      this.stop();
      this.tooSlow(
        badRequest(
          `The body came slower than ${bytesPerSecond} bytes per second for ${windowMs / 1000} s; send a smaller one, or over a faster connection.`,
        ),
      );
    }
    this.#came = 0;
    this.#wasHeld = this.#held;
  }
}
