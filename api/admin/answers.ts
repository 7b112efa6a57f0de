import { z } from 'zod';
import type { Account, ApiKey } from '../../models/access/api-key';
import type { AuditRecord } from '../../models/ports';
import { accountFields, keyFields, presentKey, since, until, usage } from '../wire/accounts';
import { answer, part } from '../wire/shared';

const nextCursor = z.string().nullable().describe('The `cursor` of the next page; null on the last');

const account = part('AccountState', {
  ...accountFields,
  keeps_photos: z.boolean().describe('Whether photos are kept as long as their predictions'),
});

const limit = z.int().nullable().describe('Null means the default of the settings, 0 no limit');

const key = part('ApiKey', {
  ...keyFields,
  account: z.string().describe('Id of the account'),
  limits: z
    .object({ per_second: limit, per_minute: limit, concurrency: limit })
    .describe('Calls per second and per minute, and photos identified at the same time'),
  revoked_at: z.iso.datetime().nullable().describe('When the key was revoked; null if it was not'),
});

const auditEntry = part('AuditEntry', {
  id: z.int().describe('Increases with each entry'),
  at: z.iso.datetime().describe('When the action was done'),
  actor: z.string().describe('`user@host` for a command, `admin` over HTTP'),
  action: z.string().describe('Name of the corresponding command'),
  account: z.string().nullable().describe('The account concerned'),
  subject: z.string().nullable().describe('The object of the action, such as a key or a file'),
  details: z.record(z.string(), z.unknown()).describe('Further details; with `requestId` over HTTP'),
});

/** A page of accounts (contract 17.5). */
export const accountsAnswer = answer('AccountList', {
  accounts: z.array(account).describe('The oldest first'),
  next_cursor: nextCursor,
});

export const accountAnswer = answer('AccountShown', {
  account: account.describe('The account as it is now'),
});

/** The answer to a credit or a correction; repeats get it unchanged (contract 17.7). */
export const creditsAnswer = answer('CreditsAdded', {
  account: z.string().describe('Id of the account'),
  amount: z.int().describe('Credits added, or removed if negative'),
  credits: z.int().describe('The new balance'),
});

/** Usage of an account in a period (contract 17.4). */
export const usageAnswer = answer('Usage', {
  account: z.string().describe('Id of the account'),
  since,
  until,
  credits: z.int().describe('Total of the period'),
  usage,
});

export const keysAnswer = answer('KeyList', {
  keys: z.array(key).describe('The oldest first'),
  next_cursor: nextCursor,
});

/** A new key with its secret; no other answer contains it. */
export const createdKeyAnswer = answer('KeyMade', {
  key: key.describe('The new key'),
  secret: z.string().describe('The secret that callers send; not shown again'),
});

export const revokedKeyAnswer = answer('KeyRevoked', {
  id: z.string().describe('Id of the key'),
  revoked: z.literal(true).describe('The key no longer works'),
});

/** A page of the audit log (contract 17.6). */
export const auditLogAnswer = answer('AuditLog', {
  entries: z.array(auditEntry).describe('The newest first'),
  next_cursor: nextCursor,
});

export const presentAccount = ({ id, name, credits, keepsPhotos }: Account) => ({
  id,
  name,
  credits,
  keeps_photos: keepsPhotos,
});

export const presentOwnedKey = (shown: ApiKey) => ({
  ...presentKey(shown),
  account: shown.accountId,
  limits: {
    per_second: shown.limits.perSecond,
    per_minute: shown.limits.perMinute,
    concurrency: shown.limits.concurrency,
  },
  revoked_at: shown.revokedAt?.toISOString() ?? null,
});

export const presentEntry = ({ id, at, actor, action, accountId, subject, details }: AuditRecord) => ({
  id,
  at: at.toISOString(),
  actor,
  action,
  account: accountId,
  subject,
  details: { ...details },
});
