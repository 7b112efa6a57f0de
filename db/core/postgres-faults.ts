import { AppError, unavailable } from '../../models/errors';

/**
 * The one list of what a PostgreSQL that can't serve now looks like, by SQLSTATE: a call that meets one is a 503, not a fault
 * of ours (contract 11.4). Whole classes where all of a class means that: 08 connection, 25 transaction state (25006: the
 * server turned read-only), 53 resources, 57 operator, 58 system; and of others a statement that lost against others
 * (40001, 40P01), whose end is unknown (40003), that waited too long for a lock (55P03), and a prepared statement that the
 * server has lost (26000).
 */
const AWAY = /^(08...|25...|26000|40001|40003|40P01|53...|55P03|57...|58...)$/;

/** Those after which the connection is unusable: it is broken, or leads to a server that is no longer the primary. */
const CONNECTION_SPENT = /^(08...|25...|26000|57P..|58...)$/;

const READ_ONLY = '25006';

/** System errors of a connection that breaks during a statement. */
const SYSTEM_ERRORS =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
/** node-postgres gives these no code. */
const MESSAGES =
  /connection terminated|timeout expired|timeout exceeded when trying to connect|connection error|not queryable|unable to acquire/i;

/** Converts a failure of the database into a 503 if it is unavailable, else returns it unchanged. */
export function databaseFailure(failure: unknown): unknown {
  if (failure instanceof AppError || !isUnavailable(failure)) return failure;
  return databaseUnavailable(failure);
}

export function databaseUnavailable(cause: unknown): AppError {
  const says = sqlStateOf(cause) === READ_ONLY ? 'can only be read now' : 'does not answer';
  return unavailable(`The database ${says}; try again.`, 1, cause);
}

/** Which connections must not be used again after this SQLSTATE on one of them: none, this one, or all that are open. */
export function connectionsToDrop(sqlState: string): 'none' | 'this' | 'all' {
  if (sqlState === READ_ONLY) return 'all';
  return CONNECTION_SPENT.test(sqlState) ? 'this' : 'none';
}

/** The SQLSTATE of a failure, or of the cause of the 503 that reports it; null for any other failure. */
export function sqlStateOf(failure: unknown): string | null {
  const cause = failure instanceof AppError ? failure.cause : failure;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : null;
}

function isUnavailable(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  const code = 'code' in failure ? String(failure.code) : '';
  return (
    AWAY.test(code) ||
    SYSTEM_ERRORS.test(code) ||
    failure.name === 'KnexTimeoutError' ||
    (code === '' && MESSAGES.test(failure.message)) ||
    (failure instanceof AggregateError && failure.errors.some(isUnavailable)) ||
    isUnavailable(failure.cause)
  );
}
