import { createHash, randomUUID } from 'node:crypto';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresPredictionRepository } from '../../db/predictions/prediction-repository';
import type { Prediction } from '../../models/ports';
import { useDatabase } from '../support/database';

const hashOf = (key: string) => createHash('sha256').update(key).digest();
const LIMITS = { perSecond: 5, perMinute: 0, concurrency: null };

let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const ids = { next: () => randomUUID() };

const database = useDatabase();
let accounts: PostgresAccountRepository;

beforeAll(async () => {
  accounts = new PostgresAccountRepository(database.knex, ids, clock);
});
describe('accounts and keys', () => {
  const keyOf = (accountId: string, hash: Buffer) =>
    accounts.createKey({ accountId, name: 'shop', versions: ['v3', 'v1'], test: true, limits: LIMITS, hash });

  test('an account is found by its id, limited or not', async () => {
    const limited = await accounts.createAccount('Limited', 0);
    const unlimited = await accounts.createAccount('Unlimited', null);
    expect(await accounts.account(limited.id)).toEqual({
      ...{ id: limited.id, name: 'Limited', credits: 0 },
      keepsPhotos: false,
    });
    expect(await accounts.account('account_unknown')).toBeNull();
    expect(await accounts.listAccounts()).toEqual([limited, unlimited]);
  });

  test('a key leads to its caller by its hash alone', async () => {
    const account = await accounts.createAccount('Shop', 10);
    const key = await keyOf(account.id, hashOf('a'));
    expect(key).toMatchObject({
      accountId: account.id,
      name: 'shop',
      versions: ['v3', 'v1'],
      test: true,
      limits: LIMITS,
    });
    expect(key).toMatchObject({ revokedAt: null, createdAt: expect.any(Date) });
    expect(await accounts.callerByKeyHash(hashOf('a'))).toEqual({
      keyId: key.id,
      accountId: account.id,
      versions: ['v3', 'v1'],
      test: true,
      scopes: ['catalog:read', 'vision:identify'],
      limits: LIMITS,
      credits: account.credits,
      held: 0,
      taxonomyVersion: expect.any(Number),
    });
    expect(await accounts.callerByKeyHash(hashOf('b'))).toBeNull();
  });

  test('a key that is revoked elsewhere opens nothing from then on', async () => {
    const account = await accounts.createAccount('Shop', null);
    const key = await keyOf(account.id, hashOf('c'));
    expect(await accounts.callerByKeyHash(hashOf('c'))).toMatchObject({ credits: null });
    const elsewhere = new PostgresAccountRepository(await database.connect(), ids, clock);
    expect(await elsewhere.revokeKey(key.id)).toBe(account.id);
    expect(await accounts.callerByKeyHash(hashOf('c'))).toBeNull();
    const revoked = (await accounts.listKeys()).find(({ id }) => id === key.id);
    expect(await accounts.revokeKey(key.id)).toBe(account.id);
    expect(await accounts.listKeys()).toContainEqual(revoked);
    expect(await accounts.revokeKey('key_unknown')).toBeNull();
  });

  test('a key that expires opens nothing from that moment on', async () => {
    const account = await accounts.createAccount('Shop', null);
    const expiresAt = new Date(now.getTime() + 1000);
    const shop = {
      accountId: account.id,
      name: 'shop',
      versions: ['v3' as const],
      test: false,
      limits: LIMITS,
    };
    const key = await accounts.createKey({ ...shop, hash: hashOf('d'), scopes: ['catalog:read'], expiresAt });
    expect(key).toMatchObject({ expiresAt, scopes: ['catalog:read'] });
    expect(await accounts.callerByKeyHash(hashOf('d'))).toMatchObject({ scopes: ['catalog:read'] });
    now = expiresAt;
    expect(await accounts.callerByKeyHash(hashOf('d'))).toBeNull();
  });

  test('a rotated key hands on all that it may do, and ends when its overlap is over', async () => {
    const account = await accounts.createAccount('Shop', null);
    const day = 24 * 3_600_000;
    const expiresAt = new Date(now.getTime() + 30 * day);
    const old = await accounts.createKey({
      ...{ accountId: account.id, name: 'shop', versions: ['v1', 'v3'], test: true, limits: LIMITS },
      ...{ hash: hashOf('e'), scopes: ['vision:identify'], expiresAt },
    });
    now = new Date(now.getTime() + day);
    const endsAt = new Date(now.getTime() + 3_600_000);
    const key = await accounts.rotateKey(old.id, hashOf('f'), { endsAt });
    const lifetime = { createdAt: now, expiresAt: new Date(expiresAt.getTime() + day) };
    expect(key).toEqual({ ...old, ...lifetime, id: expect.stringMatching(/^key_/) });
    expect(key?.id).not.toBe(old.id);
    expect(await accounts.callerByKeyHash(hashOf('e'))).toMatchObject({ keyId: old.id });
    expect(await accounts.callerByKeyHash(hashOf('f'))).toMatchObject({ keyId: key?.id });
    now = endsAt;
    expect(await accounts.callerByKeyHash(hashOf('e'))).toBeNull();
    expect(await accounts.callerByKeyHash(hashOf('f'))).toMatchObject({ keyId: key?.id });
    expect(await accounts.rotateKey(old.id, hashOf('g'), { endsAt })).toBeNull();
  });

  // contract 9.4
  test.each([
    ['no expiry', null],
    ['an expiry', 90],
  ])(
    'a key with %s that is rotated again hands on its whole lifetime, and its first overlap stands',
    async (_, days) => {
      const account = await accounts.createAccount('Shop', null);
      const expiresAt = days === null ? null : new Date(now.getTime() + days * 24 * 3_600_000);
      const old = await accounts.createKey({
        ...{ accountId: account.id, name: 'shop', versions: ['v3'], test: false, limits: LIMITS },
        ...{ hash: hashOf(`o${days}`), expiresAt },
      });
      const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
      await accounts.rotateKey(old.id, hashOf(`p${days}`), { endsAt: inHours(24) });
      const again = await accounts.rotateKey(old.id, hashOf(`q${days}`), { endsAt: inHours(48) });
      expect(again?.expiresAt).toEqual(expiresAt);
      expect(await accounts.key(old.id)).toMatchObject({ expiresAt: inHours(24) });
    },
  );

  test('the account of a name is made once, however many ask for it at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => accounts.ensureAccount('default')));
    expect(new Set(made.map(({ id }) => id))).toEqual(new Set(['account_default']));
    const all = (await accounts.listAccounts()).filter(({ name }) => name === 'default');
    expect(all).toEqual([{ id: 'account_default', name: 'default', credits: null, keepsPhotos: false }]);
  });

  test('of two rotations at the same time without an overlap one makes a key', async () => {
    const account = await accounts.createAccount('Shop', null);
    const { id } = await keyOf(account.id, hashOf('h'));
    const made = await Promise.all(
      ['i', 'j'].map((secret) => accounts.rotateKey(id, hashOf(secret), { endsAt: now })),
    );
    expect(made.filter((key) => key !== null)).toHaveLength(1);
    expect(await accounts.callerByKeyHash(hashOf('h'))).toBeNull();
  });
});

describe('predictions', () => {
  test('are found as they were saved', async () => {
    const predictions = new PostgresPredictionRepository(database.knex);
    const prediction: Prediction = {
      id: randomUUID(),
      createdAt: new Date('2026-03-01T12:00:00.123Z'),
      requestId: 'request-1',
      accountId: 'account_1',
      test: true,
      endpoint: 'v3.vision.identify',
      versionId: 1,
      model: 'eye@1.0.0',
      imageDigests: ['d', 'e'],
      neighbours: [{ imageId: 3, distance: 0.125 }],
      best: { id: 'product_a', category: 'watches', confidence: 0.9 },
      rows: [{ id: 'product_a', confidence: 0.9 }],
      timings: { intakeMs: 1, queueMs: 2, embedMs: 3.5, neighboursMs: 4, rowsMs: 5 },
      feedback: null,
    };
    await predictions.save(prediction, []);
    expect(await predictions.find(prediction.id)).toEqual(prediction);
    expect(await predictions.find('unknown')).toBeNull();
  });
});
