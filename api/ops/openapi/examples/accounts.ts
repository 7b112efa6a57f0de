import { one } from './parts';

const account = { id: 'account_0197a3f0', name: 'Shop', credits: 1000 };
const accountShown = { success: true, account: { ...account, keeps_photos: false } };
const key = {
  id: 'key_0197a3f1',
  name: 'laptop',
  versions: ['v3'],
  scopes: ['catalog:read', 'vision:identify'],
  test: false,
  created_at: '2026-03-01T12:00:00.000Z',
  expires_at: null,
};
const ownedKey = {
  ...key,
  account: account.id,
  limits: { per_second: 10, per_minute: null, concurrency: null },
  revoked_at: null,
};
const keyMade = { success: true, key: ownedKey, secret: 'loupe_live_…' };
const month = {
  since: '2026-02-14T00:00:00.000Z',
  until: '2026-03-16T00:00:00.000Z',
  usage: [{ day: '2026-03-15', endpoint: 'v3.vision.identify', calls: 12, credits: 60 }],
};

/** Examples of the endpoints about accounts (contract 9.7, 17). */
export const ACCOUNT_EXAMPLES = {
  getOwnAccount: one('A limited account', {
    success: true,
    account,
    key: { ...key, limits: { per_second: 10, per_minute: 0, concurrency: 16, per_month: 0 } },
    categories: [
      { id: 'handbags', name: 'Handbags', nodes: ['product', 'brand', 'model', 'style', 'category'] },
    ],
    ...month,
    credits_used: 0,
  }),
  listAccounts: one('The last page', { success: true, accounts: [accountShown.account], next_cursor: null }),
  createAccount: one('A limited account', accountShown, { name: 'Shop', credits: 1000 }),
  getAccount: one('A limited account', accountShown),
  creditAccount: one(
    'Credits are added',
    { success: true, account: account.id, amount: 500, credits: 1500 },
    { amount: 500, note: 'Invoice 17' },
  ),
  keepPhotos: one('No photos are kept', accountShown, { keep: false }),
  getUsage: one('A month', { success: true, account: account.id, credits: 60, ...month }),
  listKeys: one('The last page', { success: true, keys: [ownedKey], next_cursor: null }),
  createKey: one('A key for v3', keyMade, { name: 'laptop', versions: ['v3'], limits: { per_second: 10 } }),
  rotateKey: one('The old key opens the API for two more days', keyMade, { overlap_hours: 48 }),
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
