/** What housekeeping needs to know of the installation. */
export interface HousekeepingStore {
  /** Whether it is this process's turn: of all that ask, one is told so, once in an interval. */
  claim(task: string, everyMs: number): Promise<boolean>;
  /** Deletes calls with an `Idempotency-Key` whose time is over, at most `limit`; how many there were. */
  deleteExpiredCalls(limit: number): Promise<number>;
  /** Deletes variants that no product has named since before a time, with their prices, at most `limit`; how many there were. */
  deleteAwayVariants(before: Date, limit: number): Promise<number>;
  /**
   * Has those of the stored images removed that no row of the catalog has named for a while. Does nothing while a catalog
   * is being imported, and no import begins meanwhile.
   *
   * @param addresses of stored images
   * @param unownedBefore removed are those that were found unowned before this, and still are
   * @returns how many were removed
   */
  collectImages(
    addresses: readonly string[],
    unownedBefore: Date,
    remove: (addresses: readonly string[]) => Promise<void>,
  ): Promise<number>;
}
