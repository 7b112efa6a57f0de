/** The place of a piece of work among those that a process does at the same time. */
export interface Place {
  /** There is a piece; to be called before it is done. */
  readonly begun: () => void;
  /** Leaves the place to other pieces during a wait that takes nothing of this process, and comes back afterwards. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** Of a piece that is done alone. */
export const ALONE: Place = { begun: () => undefined, aside: (wait) => wait() };
