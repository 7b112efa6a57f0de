import type { components } from './schema';

type Refusals = components['responses'];

/** The body of any refusal; `error` distinguishes them. */
export type Failure = Refusals[Exclude<keyof Refusals, 'NotReady'>]['content']['application/json'];

/** A refusal of the service: `failure.error` says which, with the fields specific to it. */
export class LoupeError extends Error {
  /** Identifies the request in the logs of the service. */
  readonly requestId: string;

  constructor(
    readonly status: number,
    readonly failure: Failure,
    /** Seconds after which to call again, if the service said so. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(failure.message);
    this.name = 'LoupeError';
    this.requestId = failure.request_id;
  }
}
