import { type Sql, sql } from './sql';

/** When a key stops working: at its expiry, or earlier at the end of the overlap of its rotation. */
export const EXPIRY = sql`least(expires_at, overlap_ends_at)`;

/** Whether a key of `api_keys` opens anything. */
export const isOpen = (now: Date): Sql => sql`revoked_at IS NULL AND coalesce(${EXPIRY} > ${now}, true)`;
