/** The slot of a piece of work among those that a process does at the same time. */
export interface Place {
  /** Reports that there is work; to be called before it is done. */
  readonly begun: () => void;
  /** Gives up the slot during a wait that uses no resources of this process, and takes one again afterwards. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** For work that is done alone. */
export const ALONE: Place = { begun: () => undefined, aside: (wait) => wait() };
