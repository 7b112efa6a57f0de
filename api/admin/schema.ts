import { z } from 'zod';
import { DEFAULT_SCOPES, NAME_LENGTH_MAX } from '../../models/access/api-key';
import { CREDITS_MAX } from '../../models/access/credits';
import type { AuditFilter, ListPage } from '../../models/ports';
import { refuseBrokenText } from '../middleware/parse-json-object';
import { validate } from '../middleware/validate';
import { apiVersion, body, digits, scope, storableTime } from '../wire/shared';

const name = z.string().trim().min(1).max(NAME_LENGTH_MAX);

export const accountBody = body('NewAccount', {
  name: name.describe('Display name'),
  credits: z.int().min(0).max(CREDITS_MAX).nullable().default(null).describe('Null means unlimited'),
});

export const creditBody = body('Credit', {
  amount: z
    .int()
    .min(-CREDITS_MAX)
    .max(CREDITS_MAX)
    .describe('Credits to add; negative to remove, at most the balance'),
  note: name.optional().describe('Reason, shown in the history'),
});

export const keepPhotosBody = body('KeepPhotos', {
  keep: z.boolean().describe('`false` also deletes stored photos'),
});

/** A limit on calls; 0 means none. */
const calls = z.int().min(0).max(999_999_999).optional();

const later = storableTime.transform((text) => new Date(text));

export const keyBody = body('NewKey', {
  name: name.describe('Display name'),
  versions: z.array(apiVersion).min(1).describe('API versions that the key may use'),
  scopes: z
    .array(scope)
    .min(1)
    .default([...DEFAULT_SCOPES])
    .describe('Scopes of the key'),
  test: z.boolean().default(false).describe('Whether the key sees only the sandbox'),
  limits: z
    .strictObject({
      per_second: calls.describe('Calls per second'),
      per_minute: calls.describe('Calls per minute'),
      concurrency: calls.describe('Photos identified at the same time'),
    })
    .default({})
    .describe('Limits of the key; the default is that of the settings, 0 means no limit'),
  expires_at: later.optional().describe('When the key stops working, in the future; never if left out'),
});

export const rotationBody = body('Rotation', {
  overlap_hours: z.int().min(0).max(100_000).default(24).describe('Hours that the old key keeps working'),
  expires_at: later
    .optional()
    .describe('When the new key stops working; default: the lifetime that the old one was created with'),
});

const CURSOR = 'The `next_cursor` of the previous page';

/** Contract 17.5. */
export const listParameters = z.strictObject({
  limit: digits.pipe(z.int().min(1).max(200)).default(50).describe('Entries per page'),
  cursor: z.string().optional().describe(CURSOR),
});

export const auditParameters = listParameters.extend({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'take the next_cursor of the page before')
    .optional()
    .describe(CURSOR),
  account: z.string().optional().describe('Only entries that concern this account'),
});

/** The page requested by a query string. @throws AppError 400 */
export function listPage(query: Readonly<Record<string, unknown>>): ListPage {
  const { limit, cursor } = validate(listParameters, query);
  if (cursor !== undefined) refuseBrokenText(cursor, 'cursor');
  return { after: cursor ?? null, limit };
}

/** The entries of the audit log requested by a query string. @throws AppError 400 */
export function auditFilter(query: Readonly<Record<string, unknown>>): AuditFilter {
  const { limit, cursor, account } = validate(auditParameters, query);
  if (account !== undefined) refuseBrokenText(account, 'account');
  const before = cursor === undefined ? null : Number(cursor);
  return { accountId: account ?? null, since: null, before, limit };
}
