/** What housekeeping needs to know of the installation. Deletions take at most `limit` rows, and say how many there were. */
export interface HousekeepingStore {
  /** Whether it is this process's turn: of all that ask, one is told so, once in an interval. */
  claim(task: string, everyMs: number): Promise<boolean>;
  /** Expired calls with an `Idempotency-Key`. */
  deleteExpiredCalls(limit: number): Promise<number>;
  /** Variants that no product has named since before a time, with their prices. */
  deleteAwayVariants(before: Date, limit: number): Promise<number>;
  /**
   * Has those of the stored images removed that were found unnamed by any row before `unownedBefore`, and still are; how many.
   * No import runs meanwhile; while one runs, nothing is done.
   */
  collectImages(
    addresses: readonly string[],
    unownedBefore: Date,
    remove: (addresses: readonly string[]) => Promise<void>,
  ): Promise<number>;
}
