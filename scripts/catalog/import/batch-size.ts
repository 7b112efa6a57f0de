const SIZE_MIN = 20;
const SIZE_MAX = 2_000;
const SIZE_FIRST = 100;

/** How many records go into one transaction, from how long the last one took. */
export class BatchSize {
  private size = SIZE_FIRST;

  /**
   * @param targetMs about how long a transaction is to take
   * @param sizeMax records at most
   */
  constructor(
    private readonly targetMs: number,
    private readonly sizeMax = SIZE_MAX,
  ) {}

  get records(): number {
    return this.size;
  }

  /** Tells what `records` took to write. Grows and shrinks by at most half, so that one slow write says little. */
  learn(records: number, tookMs: number): void {
    const ideal = (records * this.targetMs) / Math.max(tookMs, 1);
    const bounded = Math.min(this.size * 1.5, Math.max(this.size / 2, ideal));
    this.size = Math.round(Math.min(this.sizeMax, Math.max(SIZE_MIN, bounded)));
  }
}
