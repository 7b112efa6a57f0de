import type { Identification } from '../vision-service';
import type { EntryView } from './vision-job';

/** Writes answers as the caller of a job gets them: as those of an identification. */
export interface EntryPresenter {
  answer(found: Identification, creditsUsed: number, view: EntryView): object;
  /** Any failure, with its HTTP status. */
  refusal(failure: unknown, requestId: string): { readonly status: number; readonly body: object };
}

export const ENTRY_PRESENTER = Symbol.for('EntryPresenter');
