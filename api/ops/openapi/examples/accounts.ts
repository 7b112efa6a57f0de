import type { z } from 'zod';
import type { accountShown, keyMade } from '../../../admin/answers';
import type { accountAnswer } from '../../../v3/answers';
import { one } from './example';

/** Accounts and keys in examples, as operators and callers get them. */
const account: z.output<typeof accountShown>['account'] = {
  id: 'account_0197a3f0',
  name: 'Shop',
  credits: 1000,
  keeps_photos: false,
};

const key: z.output<typeof keyMade>['key'] = {
  id: 'key_0197a3f1',
  account: account.id,
  name: 'laptop',
  versions: ['v3'],
  scopes: ['catalog:read', 'vision:identify'],
  test: false,
  limits: { per_second: 10, per_minute: null, concurrency: null },
  created_at: '2026-03-01T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
};

const month = {
  since: '2026-02-14T00:00:00.000Z',
  until: '2026-03-16T00:00:00.000Z',
  usage: [{ day: '2026-03-15', endpoint: 'v3.vision.identify', calls: 12, credits: 60 }],
};

const { account: _account, revoked_at: _revoked, ...shown } = key;
const own: z.output<typeof accountAnswer> = {
  success: true,
  account: { id: account.id, name: account.name, credits: account.credits },
  key: { ...shown, limits: { per_second: 10, per_minute: 0, concurrency: 16, per_month: 0 } },
  categories: [
    { id: 'handbags', name: 'Handbags', nodes: ['product', 'brand', 'model', 'style', 'category'] },
    {
      id: 'watches',
      name: 'Watches',
      nodes: ['product', 'brand', 'family', 'model', 'case', 'dial', 'category'],
    },
  ],
  ...month,
  credits_used: 0,
};

const made = { success: true, key, secret: 'loupe_live_…' };
const shownAccount = { success: true, account };

/** Examples of the endpoints about accounts (contract 9.7, 17). */
export const ACCOUNT_EXAMPLES = {
  getOwnAccount: one('A limited account', own),
  listAccounts: one('The last page', { success: true, accounts: [account], next_cursor: null }),
  createAccount: one('A limited account', shownAccount, { name: 'Shop', credits: 1000 }),
  getAccount: one('A limited account', shownAccount),
  creditAccount: one(
    'Credits are added',
    { success: true, account: account.id, amount: 500, credits: 1500 },
    { amount: 500, note: 'Invoice 17' },
  ),
  keepPhotos: one('No photos are kept', shownAccount, { keep: false }),
  getUsage: one('A month', { success: true, account: account.id, credits: 60, ...month }),
  listKeys: one('The last page', { success: true, keys: [key], next_cursor: null }),
  createKey: one('A key for v3', made, {
    name: 'laptop',
    versions: ['v3'],
    limits: { per_second: 10 },
  }),
  rotateKey: one('The old key opens the API for two more days', made, { overlap_hours: 48 }),
  revokeKey: one('It opens nothing any more', { success: true, id: key.id, revoked: true }),
  getAuditLog: one('A credit', {
    success: true,
    entries: [
      {
        id: 17,
        at: '2026-03-15T12:00:00.000Z',
        actor: 'admin',
        action: 'accounts credit',
        account: account.id,
        subject: account.id,
        details: { note: 'Invoice 17', amount: 500, credits: 1500, requestId: '7f9c24e8-3b12' },
      },
    ],
    next_cursor: '17',
  }),
};
