/** The slot of a piece of work among those that a process does at the same time. */
export interface WorkSlot {
  /** Reports that there is work; to be called before it is done. */
  readonly reportWork: () => void;
  /** Gives up the slot during a wait that uses no resources of this process, and takes one again afterwards. */
  releaseWhile<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** For work that is done alone. */
export const NO_SLOT: WorkSlot = { reportWork: () => undefined, releaseWhile: (wait) => wait() };
