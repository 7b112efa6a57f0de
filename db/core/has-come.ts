import { type Sql, sql } from './sql';

/** How far the clocks of the processes of an installation may be apart. */
const CLOCKS_APART_MS = 60_000;

/**
 * Whether a stored time has come. One that lies further ahead than it can was written by a clock that was ahead: it is void,
 * and has come (contract 14.18).
 *
 * @param time a timestamptz
 * @param aheadMaxMs how far ahead of its writer's clock such a time is at most: a lease, the longest pause
 */
export const hasCome = (time: Sql, now: Date, aheadMaxMs: number | Sql): Sql =>
  sql`(${time} <= ${now} OR ${isVoid(time, now, aheadMaxMs)})`;

/** Whether a stored time lies further ahead than it can. */
export const isVoid = (time: Sql, now: Date, aheadMaxMs: number | Sql): Sql =>
  sql`${time} > ${now}::timestamptz + (${aheadMaxMs} + ${CLOCKS_APART_MS}::integer) * interval '1 millisecond'`;
