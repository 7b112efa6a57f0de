import { z } from 'zod';
import type { Period } from '../../models/access/account-service';
import type { ApiKey } from '../../models/access/api-key';
import { badRequest } from '../../models/errors';
import { validate } from '../middleware/validate';
import { apiVersion, part, scope, storableDay, storableTime } from './shared';

export const accountFields = {
  id: z.string().describe('Id of the account'),
  name: z.string().describe('Display name'),
  credits: z.int().nullable().describe('Credits left; null means unlimited'),
};

const time = z.iso.datetime();

export const keyFields = {
  id: z.string().describe('Id of the key, which is not its secret'),
  name: z.string().describe('Display name'),
  versions: z.array(apiVersion).describe('API versions that the key may use'),
  scopes: z.array(scope).describe('Scopes of the key'),
  test: z.boolean().describe('Whether the key sees only the sandbox'),
  created_at: time.describe('When the key was created'),
  expires_at: time.nullable().describe('When the key stops working; null means never'),
};

/** A key as `keyFields` describes it; its secret is not stored. */
export const presentKey = ({ id, name, versions, scopes, test, createdAt, expiresAt }: ApiKey) => ({
  id,
  name,
  versions: [...versions],
  scopes: [...scopes],
  test,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
});

export const since = time.describe('Start of the period');
export const until = time.describe('End of the period, exclusive');

export const usage = z
  .array(
    part('UsageLine', {
      day: z.iso.date().describe('Day in UTC'),
      endpoint: z.string().describe('Name of the endpoint, such as `v3.catalog.query`'),
      calls: z.int().describe('Number of charged calls'),
      credits: z.int().describe('Credits charged for them'),
    }),
  )
  .describe('By day, then endpoint; days without a charge are left out');

const DAY_MS = 86_400_000;
const DAYS = 30;
const DAYS_MAX = 366;
const FIRST_DAY_MS = Date.parse('0001-01-01');

const dayOrTime = z
  .union([storableDay, storableTime], {
    error: ({ input }) =>
      Array.isArray(input)
        ? 'must be one text'
        : 'must be a day such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z',
  })
  .transform((text) => new Date(text));

const documented = (description: string) =>
  dayOrTime
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
  const since = given.since ?? new Date(Math.max(FIRST_DAY_MS, until.getTime() - DAYS * DAY_MS));
  if (since > until) throw badRequest('since: must not be after until.', { field: 'since' });
  if (until.getTime() - since.getTime() > DAYS_MAX * DAY_MS) {
    throw badRequest(`since: must be at most ${DAYS_MAX} days before until.`, { field: 'since' });
  }
  return { since, until };
}
