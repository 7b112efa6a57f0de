import type { Owner } from '../../access/api-key';
import type { Module } from '../../catalog/catalog-query';
import type { ImageAddress, ImageInput, KeptInput, PhotoRequest } from '../image-input';

/** Most entries of a job (contract 16.1). */
export const JOB_ENTRIES_MAX = 100;

/** The state of an entry; the last three are final. */
export const ENTRY_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

export const JOB_STATUSES = ['queued', 'running', 'done'] as const;

/** The state of a job; done when each of its entries has ended. */
export function jobStatus(entries: readonly { readonly state: EntryState }[]): (typeof JOB_STATUSES)[number] {
  if (entries.every(({ state }) => state === 'waiting')) return 'queued';
  return entries.some(({ state }) => state === 'waiting' || state === 'running') ? 'running' : 'done';
}

export type SentEntry = PhotoRequest<ImageInput>;

/** An entry as stored: photos sent as bytes are prepared. */
export type KeptEntry = PhotoRequest<ImageAddress | KeptInput>;

export interface EntryView {
  readonly includes: readonly Module[];
  /** Prefix of the addresses of our own pictures and files. */
  readonly baseUrl: string;
}

/** The result of an entry: the body that its caller gets. */
export interface EntryAnswer {
  readonly state: 'done' | 'failed';
  readonly predictionId: string | null;
  readonly answer: object;
}

/** A job to be stored; an entry with unusable photos already has its answer. */
export interface NewJob extends EntryView, Owner {
  readonly id: string;
  readonly keyId: string;
  readonly entries: readonly (KeptEntry | EntryAnswer)[];
}

/** A job as its caller sees it; answers may be large, and are read separately (`VisionJobStore.answers`). */
export interface VisionJob {
  readonly id: string;
  readonly createdAt: Date;
  readonly entries: readonly {
    readonly state: EntryState;
    readonly predictionId: string | null;
    /** Size of the answer as JSON; 0 while there is none. */
    readonly answerBytes: number;
    readonly creditsUsed: number;
  }[];
}

/** An entry that a process has begun. */
export interface LeasedEntry extends EntryView {
  readonly jobId: string;
  readonly position: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly entry: KeptEntry;
  /** How often it was begun, including this time. */
  readonly tries: number;
}
