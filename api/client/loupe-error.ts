import type {
  BadRequest,
  Conflict,
  Forbidden,
  HeadersTooLarge,
  InsufficientCredits,
  InternalError,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  Timeout,
  Unauthorized,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType,
} from './schema';

/** The body of any refusal; `error` tells them apart. */
export type Failure =
  | BadRequest
  | Unauthorized
  | InsufficientCredits
  | Forbidden
  | NotFound
  | MethodNotAllowed
  | Conflict
  | PayloadTooLarge
  | UnsupportedMediaType
  | Unprocessable
  | RateLimited
  | HeadersTooLarge
  | InternalError
  | Unavailable
  | Timeout;

/** A refusal of the service: `failure.error` says which, with the fields that it alone has. */
export class LoupeError extends Error {
  /** Names the request in the logs of the service. */
  readonly requestId: string;

  constructor(
    readonly status: number,
    readonly failure: Failure,
    /** Seconds after which to call again, where the service said so. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(failure.message);
    this.name = 'LoupeError';
    this.requestId = failure.request_id;
  }
}
