import type { Owner } from '../access/api-key';
import type { EntryAnswer, LeasedEntry, NewJob, VisionJob } from '../vision/jobs/vision-job';

/** Jobs and their entries, shared by all processes of an installation and whole after each of them died. */
export interface VisionJobStore {
  /** Keeps a job, whole or not at all, and an existing one of this id as it is; false when its owner would have more open entries than `openMax`. */
  add(job: NewJob, openMax: number): Promise<boolean>;
  /** Null when there is none, or it is somebody else's. */
  find(owner: Owner, id: string): Promise<VisionJob | null>;
  /** The answers from a position until before another, as JSON; null where there is none yet. */
  answers(id: string, from: number, until: number): Promise<readonly (string | null)[]>;
  /** Entries of an owner that have no answer yet. */
  openEntries(owner: Owner): Promise<number>;
  /** Cancels the entries of a job that are not begun, for good. */
  cancel(id: string): Promise<void>;
  /** Leases an entry that is due, of the account whose last turn is longest ago. @param without accounts that get no turn now */
  begin(leaseMs: number, without?: readonly string[]): Promise<LeasedEntry | null>;
  /** Keeps the answer of an entry and lets go of its photos; false when its lease was lost. */
  finish(entry: LeasedEntry, answer: EntryAnswer): Promise<boolean>;
  /** Has an entry begun again at a time; one whose job was cancelled meanwhile is cancelled too. */
  postpone(entry: LeasedEntry, until: Date): Promise<void>;
  deleteOf(accountId: string): Promise<void>;
  /** Deletes jobs of before a time, at most `limit`; how many there were. */
  deleteBefore(time: Date, limit: number): Promise<number>;
  /** Entries of all jobs that have no answer yet. */
  depth(): Promise<{ waiting: number; running: number }>;
}
