import { createHash, randomUUID } from 'node:crypto';
import { PostgresAccountRepository } from '../../db/account-repository';
import { PostgresPredictionRepository } from '../../db/prediction-repository';
import type { Prediction } from '../../models/ports';
import { type TestDatabase, testDatabase } from '../support/database';

const hashOf = (key: string) => createHash('sha256').update(key).digest();
const LIMITS = { perSecond: 5, perMinute: 0, concurrency: null };

let database: TestDatabase;
let accounts: PostgresAccountRepository;

beforeAll(async () => {
  database = await testDatabase();
  accounts = new PostgresAccountRepository(database.knex, { next: () => randomUUID() });
});
afterAll(() => database.close());

describe('accounts and keys', () => {
  const keyOf = (accountId: string, hash: Buffer) =>
    accounts.createKey({ accountId, name: 'shop', versions: ['v3', 'v1'], test: true, limits: LIMITS, hash });

  test('an account is found by its id, limited or not', async () => {
    const limited = await accounts.createAccount('Limited', 0);
    const unlimited = await accounts.createAccount('Unlimited', null);
    expect(await accounts.account(limited.id)).toEqual({ id: limited.id, name: 'Limited', credits: 0 });
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
      limits: LIMITS,
      credits: account.credits,
    });
    expect(await accounts.callerByKeyHash(hashOf('b'))).toBeNull();
  });

  test('a key that is revoked elsewhere opens nothing from then on', async () => {
    const account = await accounts.createAccount('Shop', null);
    const key = await keyOf(account.id, hashOf('c'));
    expect(await accounts.callerByKeyHash(hashOf('c'))).toMatchObject({ credits: null });
    const elsewhere = new PostgresAccountRepository(await database.connect(), { next: () => randomUUID() });
    expect(await elsewhere.revokeKey(key.id)).toBe(true);
    expect(await accounts.callerByKeyHash(hashOf('c'))).toBeNull();
    const revoked = (await accounts.listKeys()).find(({ id }) => id === key.id);
    expect(await accounts.revokeKey(key.id)).toBe(true);
    expect(await accounts.listKeys()).toContainEqual(revoked);
    expect(await accounts.revokeKey('key_unknown')).toBe(false);
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
      endpoint: 'v3.vision.identify',
      versionId: 1,
      model: 'eye@1.0.0',
      imageDigest: 'd',
      neighbours: [{ imageId: 3, distance: 0.125 }],
      rows: [{ id: 'product_a', confidence: 0.9 }],
      timings: { intakeMs: 1, queueMs: 2, embedMs: 3.5, neighboursMs: 4, rowsMs: 5 },
    };
    await predictions.save(prediction);
    expect(await predictions.find(prediction.id)).toEqual(prediction);
    expect(await predictions.find('unknown')).toBeNull();
  });
});
