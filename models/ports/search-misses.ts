/** The folded text of queries that found nothing, and how many there were. */
export interface SearchMiss {
  readonly query: string;
  readonly misses: number;
}

export interface SearchMissSum extends SearchMiss {
  readonly lastDay: string;
}

/** Queries that found nothing, by day (contract 5.13). */
export interface SearchMissStore {
  /** Adds to the counts of a day, `YYYY-MM-DD`; if there are more new texts than a day may have, the most frequent are kept. */
  add(day: string, misses: readonly SearchMiss[]): Promise<void>;
  /** Most frequent first, then by text, from the day of `since` on. */
  mostFrequent(since: Date | null, limit: number): Promise<readonly SearchMissSum[]>;
}
