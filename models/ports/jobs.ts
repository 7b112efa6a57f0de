import type { Owner } from '../access/api-key';
import type { EntryAnswer, LeasedEntry, NewJob, VisionJob } from '../vision/jobs/vision-job';

/** Jobs and their entries, shared by all processes of an installation and intact after any of them dies. */
export interface VisionJobStore {
  /** Stores a job unless one with this id exists; false when its owner would have more open entries than `openMax`. */
  add(job: NewJob, openMax: number): Promise<boolean>;
  /** Null when there is none, or it belongs to another owner. */
  find(owner: Owner, id: string): Promise<VisionJob | null>;
  /** The answers from one position to another (exclusive), as JSON; null if there is none yet. */
  answers(id: string, from: number, until: number): Promise<readonly (string | null)[]>;
  openEntries(owner: Owner): Promise<number>;
  /** Cancels for good the entries of a job that have not begun. */
  cancel(id: string): Promise<void>;
  /** Leases a due entry of the account whose last turn is longest ago. @param without accounts that get no turn now */
  begin(leaseMs: number, without?: readonly string[]): Promise<LeasedEntry | null>;
  /** Stores the answer of an entry and drops its photos; false when its lease was lost. */
  finish(entry: LeasedEntry, answer: EntryAnswer): Promise<boolean>;
  /** Schedules an entry to begin again at a time; if its job was cancelled meanwhile, it is cancelled too. */
  postpone(entry: LeasedEntry, until: Date): Promise<void>;
  deleteOf(accountId: string): Promise<void>;
  depth(): Promise<{ waiting: number; running: number }>;
}
