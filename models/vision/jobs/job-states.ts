/** Entries of a job at most (contract 16.1). */
export const JOB_ENTRIES_MAX = 100;

/** How far an entry is; the last three are its end. */
export const ENTRY_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

export const JOB_STATUSES = ['queued', 'running', 'done'] as const;

/** How far a job is; done when each of its entries has ended. */
export function jobStatus(entries: readonly { readonly state: EntryState }[]): (typeof JOB_STATUSES)[number] {
  if (entries.every(({ state }) => state === 'waiting')) return 'queued';
  return entries.some(({ state }) => state === 'waiting' || state === 'running') ? 'running' : 'done';
}
