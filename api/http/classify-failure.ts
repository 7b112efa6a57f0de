import { AppError, internalError, unavailable } from '../../models/errors';
import { failureField } from './failure-field';

/** Seconds after which a store that was away is worth another call. */
const RETRY_AFTER_SECONDS = 2;

/** Network faults between us and a store, by the code that Node gives them. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * SQLSTATE classes of a database that can't serve now: connection, resources, operator intervention, deadlock and
 * serialisation, lock not available.
 */
const SQL_STATE = /^(08|53|57P0|57014|40001|40P01|55P03)/;

/** Client libraries that give their connection faults a name or a text only. */
const NAMES = new Set(['KnexTimeoutError', 'MaxRetriesPerRequestError', 'TimeoutError', 'AbortError']);
const MESSAGES =
  /^(Connection terminated|Connection is closed|timeout exceeded when trying to connect|Stream isn't writeable)|Client has encountered a connection error/;

/**
 * Any failure as one that can be answered: ours as they are, a store that is away
 * as 503, everything else as 500.
 */
export function classifyFailure(failure: unknown): AppError {
  if (failure instanceof AppError) return failure;
  if (chain(failure).some(isStoreAway)) {
    return unavailable('A part of the service is away; try again.', RETRY_AFTER_SECONDS, failure);
  }
  return internalError(failure);
}

function isStoreAway(failure: unknown): boolean {
  const code = failureField(failure, 'code');
  const name = failureField(failure, 'name');
  const message = failureField(failure, 'message');
  return (
    (typeof code === 'string' && (NETWORK_CODES.has(code) || SQL_STATE.test(code))) ||
    (typeof name === 'string' && NAMES.has(name)) ||
    (typeof message === 'string' && MESSAGES.test(message))
  );
}

/** The failure and what it was caused by, as deep as anybody nests. */
function chain(failure: unknown): unknown[] {
  const found: unknown[] = [];
  for (let next = failure; next !== undefined && next !== null && found.length < 8; ) {
    found.push(next);
    next = failureField(next, 'cause');
  }
  return found;
}
