import { AppError, internalError, unavailable } from '../../models/errors';
import { failureField } from './failure-field';

/** Work that was given up while it waited for another part. */
const GIVEN_UP = new Set<unknown>(['TimeoutError', 'AbortError']);

/**
 * Any failure as one that can be answered: ours as they are (adapters tell that their store is away), what was given up
 * as 503, everything else as 500.
 */
export function classifyFailure(failure: unknown): AppError {
  if (failure instanceof AppError) return failure;
  if (GIVEN_UP.has(failureField(failure, 'name'))) {
    return unavailable('A part of the service is away; try again.', 2, failure);
  }
  return internalError(failure);
}
