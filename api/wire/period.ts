import { z } from 'zod';
import type { Period } from '../../models/access/account-service';
import { badRequest } from '../../models/errors';
import { validate } from '../middleware/validate';

const DAY_MS = 86_400_000;
const DAYS = 30;
const DAYS_MAX = 366;

const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: ({ input }) =>
      Array.isArray(input)
        ? 'must be one text'
        : 'must be a day such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z',
  })
  .transform((text) => new Date(text));

const documented = (description: string) =>
  time
    .optional()
    .meta({ description, anyOf: ['date', 'date-time'].map((format) => ({ type: 'string', format })) });

export const periodParameters = z.strictObject({
  since: documented(`At most ${DAYS_MAX} days before \`until\`; default: ${DAYS} days before it`),
  until: documented('Exclusive, not before `since`; default: the end of today in UTC'),
});

/**
 * The period that `since` and `until` of a query string name (contract 9.7), in days of UTC: without an end to the end
 * of today, without a start the 30 days before its end.
 * @throws AppError 400 for an invalid time, or a period that is too long or ends before it begins
 */
export function periodOf(query: Readonly<Record<string, unknown>>, now: Date): Period {
  const given = validate(periodParameters, query);
  const until = given.until ?? new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
  const since = given.since ?? new Date(until.getTime() - DAYS * DAY_MS);
  if (since > until) throw badRequest('since: must not be after until.', { field: 'since' });
  if (until.getTime() - since.getTime() > DAYS_MAX * DAY_MS) {
    throw badRequest(`since: must be at most ${DAYS_MAX} days before until.`, { field: 'since' });
  }
  return { since, until };
}
