import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../support/api-client';
import { createUntouchedData, FIXTURE } from '../support/fixture-data';
import { environmentOf, runLoupe, runLoupeHere } from '../support/run-loupe';
import { useService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14: accounts, keys and usage, as an operator's scripts call them. */
const service = useService();

/** Runs a command beside the service of this file. Not two at a time. */
const loupe = (words: readonly string[]) => runLoupeHere(words, environmentOf(service));

/** What a command answers with `--json`, beside which it says nothing. */
async function json<Document>(...words: string[]): Promise<Document> {
  const { code, stdout, stderr } = await loupe([...words, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Document;
}

interface AccountDocument {
  readonly id: string;
  readonly name: string;
  readonly credits: number | null;
}

interface KeyDocument {
  readonly id: string;
  readonly key: string;
  readonly account: string;
  readonly versions: string[];
}

// contract 14.5
test('an account is made, listed and credited', async () => {
  const account = await json<AccountDocument>('accounts', 'create', '--name', 'Maison', '--credits', '3');
  expect(account).toEqual({
    id: expect.stringMatching(/\S/),
    name: 'Maison',
    credits: 3,
  });
  expect(await json('accounts', 'credit', account.id, '4')).toEqual({ id: account.id, credits: 7 });
  expect(await json('accounts', 'list')).toContainEqual({ ...account, credits: 7, keepsPhotos: false });
  expect(await service.balance(account.id)).toBe(7);
});

// contract 7.11
test('the photos of an account are kept only while an operator has switched that on', async () => {
  const { accountId: id } = await service.newKey();
  for (const [words, keepsPhotos] of [
    [[], true],
    [['off'], false],
    [['on'], true],
    [['--off'], false],
  ] as const) {
    expect(await json('accounts', 'keep-photos', id, ...words)).toEqual({ id, keepsPhotos });
    expect(await json('accounts', 'list')).toContainEqual(expect.objectContaining({ id, keepsPhotos }));
  }
  expect((await loupe(['accounts', 'keep-photos', id, 'never'])).code).toBe(2);
});

test('a correction removes credits with a note, and no balance falls below zero', async () => {
  const { accountId } = await service.newKey({ credits: 10 });
  const words = ['accounts', 'credit', accountId];
  const corrected = await json(...words, '-4', '--note', 'refunded by hand');
  expect(corrected).toEqual({ id: accountId, credits: 6 });
  const tooMuch = await loupe([...words, '-7']);
  const tooLittle = await loupe([...words, '9999999999999999']);
  const history = await json('accounts', 'history', accountId);
  expect([tooMuch.code, tooLittle.code]).toEqual([1, 2]);
  expect(tooMuch.stderr).toContain('The account has 6 credits');
  expect(tooLittle.stderr).toContain('must be at most 1000000000000000');
  expect(await service.balance(accountId)).toBe(6);
  expect(history).toEqual([
    { at: expect.any(String), amount: 10, note: null },
    { at: expect.any(String), amount: -4, note: 'refunded by hand' },
  ]);
});

test('a key of an unlimited account opens the running service for its versions until it is revoked', async () => {
  const account = await json<AccountDocument>('accounts', 'create', '--name', 'Maison');
  expect(account.credits).toBeNull();
  const words = ['keys', 'create', '--account', account.id, '--name', 'shop', '--versions', 'v3'];
  const key = await json<KeyDocument>(...words, '--per-minute', '2', '--test');
  expect(key).toEqual({
    id: expect.stringMatching(/\S/),
    key: expect.stringMatching(/^loupe_test_[0-9A-Za-z]{32,}$/),
    account: account.id,
    versions: ['v3'],
  });
  const api = new ApiClient(service.url, key.key);
  expect((await api.query({})).headers.get('RateLimit-Limit')).toBe('2');
  expect((await api.v1({})).status).toBe(403);
  const { stdout } = await loupe(['keys', 'list', '--json']);
  expect(stdout).not.toContain(key.key);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ id: key.id, account: account.id, name: 'shop', revokedAt: null }),
  );
  expect((await loupe(['keys', 'revoke', key.id])).code).toBe(0);
  expect((await api.query({})).status).toBe(401);
});

test('a key has the scopes and the expiry that it was made with', async () => {
  const { accountId } = await service.newKey();
  const words = ['keys', 'create', '--account', accountId, '--name', 'reader', '--versions', 'v1,v2,v3'];
  const { id, key } = await json<KeyDocument>(...words, '--scopes', 'catalog:read', '--expires', '30d');
  const api = new ApiClient(service.url, key);
  expect([(await api.query({})).status, (await api.identify(service.photo)).status]).toEqual([200, 403]);
  const all = await json<{ id: string; createdAt: string; expiresAt: string }[]>('keys', 'list');
  const listed = all.find((each) => each.id === id);
  expect(listed).toMatchObject({ scopes: ['catalog:read'], revokedAt: null });
  const lifetimeMs = Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.createdAt ?? '');
  expect(Math.round(lifetimeMs / (24 * 3_600_000))).toBe(30);
});

test('a rotated key does the same under a new secret, and the old one ends with its overlap', async () => {
  const { accountId } = await service.newKey();
  const words = ['keys', 'create', '--account', accountId, '--name', 'shop', '--versions', 'v3'];
  const old = await json<KeyDocument>(...words, '--scopes', 'catalog:read', '--per-minute', '7');
  const made = await json<KeyDocument>('keys', 'rotate', old.id, '--overlap', '1');
  expect(made).toEqual({
    ...old,
    id: expect.stringMatching(/\S/),
    key: expect.stringMatching(/^loupe_live_/),
    expiresAt: null,
    replaced: { id: old.id, endsAt: expect.stringMatching(/^20/) },
  });
  expect([made.id, made.key]).not.toEqual([old.id, old.key]);
  const statusOf = async (key: string) => (await new ApiClient(service.url, key).query({})).status;
  expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([200, 200]);
  const limit = (await new ApiClient(service.url, made.key).query({})).headers.get('RateLimit-Limit');
  expect(limit).toBe('7');
  const last = await json<KeyDocument>('keys', 'rotate', made.id, '--overlap', '0');
  // Commands go by the clock of the machine, which the standing one of the service is behind.
  service.clock.advance(30 * 60_000);
  expect([await statusOf(old.key), await statusOf(made.key), await statusOf(last.key)]).toEqual([
    200, 401, 200,
  ]);
  const again = await loupe(['keys', 'rotate', made.id]);
  expect([again.code, again.stdout]).toEqual([1, '']);
  expect(again.stderr).toMatch(/loupe keys create/);
});

// contract 9.4
test('a key may be rotated twice, and each rotation says when the old key ends', async () => {
  const old = await json<KeyDocument>('keys', 'create');
  expect(old).toMatchObject({ account: 'account_default', versions: ['v1', 'v2', 'v3'] });
  const rotations = [
    await loupe(['keys', 'rotate', old.id]),
    await loupe(['keys', 'rotate', old.id, '--overlap', '48']),
  ];
  for (const { stdout } of rotations) {
    expect(stdout).toMatch(new RegExp(`The old key ${old.id} stops working at \\d{4}-`));
    expect(stdout).toContain('It does not expire.');
  }
  const keys = await json<{ account: string; expiresAt: string | null }[]>('keys', 'list');
  const ends = keys.filter(({ account }) => account === 'account_default').map(({ expiresAt }) => expiresAt);
  expect(ends).toEqual([expect.stringMatching(/^20/), null, null]);
});

test('the audit log says who did what to which account, without secrets', async () => {
  const account = await json<AccountDocument>('accounts', 'create', '--name', 'Maison', '--credits', '3');
  await json('accounts', 'credit', account.id, '4');
  const words = ['keys', 'create', '--account', account.id, '--name', 'shop', '--versions', 'v3'];
  const key = await json<KeyDocument>(...words);
  const rotated = await json<KeyDocument>('keys', 'rotate', key.id);
  await json('keys', 'revoke', rotated.id);
  await loupe(['keys', 'create', '--account', 'account_unknown', '--name', 'n', '--versions', 'v3']);
  const { stdout } = await loupe(['audit', 'log', '--account', account.id, '--json']);
  const entries = JSON.parse(stdout) as { action: string; subject: string }[];
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ['keys revoke', rotated.id],
    ['keys rotate', rotated.id],
    ['keys create', key.id],
    ['accounts credit', account.id],
    ['accounts create', account.id],
  ]);
  for (const entry of entries)
    expect(entry).toMatchObject({ actor: expect.stringMatching(/.@./), account: account.id });
  expect(stdout).not.toContain(key.key.slice(-20));
  const text = await loupe(['audit', 'log', '--limit', '1']);
  expect(text.stdout).toContain('keys revoke');
  expect(text.stdout).not.toContain('keys rotate');
});

// contract 10.5
test('usage tells what an account was charged, by day and endpoint, in a span of time', async () => {
  const { api, accountId } = await service.newKey({ credits: 20 });
  for (const call of [() => api.query({}), () => api.query({}), () => api.v1({}), () => api.item('nobody')])
    await call();
  const day = service.clock.now().toISOString().slice(0, 10);
  const all = await json('usage', '--account', accountId);
  const since = await json('usage', '--account', accountId, '--since', day);
  const until = await json('usage', '--account', accountId, '--until', `${day}T00:00:00Z`);
  const text = await loupe(['usage', '--account', accountId]);
  const usage = [
    { day, endpoint: 'v1.products', calls: 1, credits: 6 },
    { day, endpoint: 'v3.catalog.query', calls: 2, credits: 2 },
  ];
  expect(all).toEqual({ account: accountId, credits: 8, usage });
  expect(since).toEqual(all);
  expect(until).toEqual({ account: accountId, credits: 0, usage: [] });
  expect(text.stdout).toMatch(/v3\.catalog\.query/);
  expect(text.stdout).toMatch(/^8 credits$/m);
});

test('what does not exist is exit code 1, wrong usage is 2, each with a reason on stderr and nothing on stdout', async () => {
  const settings = environmentOf(service);
  // One in a process of its own, as operators run them.
  const outcomes = [await runLoupe(['accounts', 'credit', 'account_nobody', 'five', '--json'], settings)];
  for (const words of [
    'keys revoke key_nobody',
    'usage --account account_nobody',
    'accounts credit account_nobody 5',
  ])
    outcomes.push(await loupe([...words.split(' '), '--json']));
  expect(outcomes.map(({ code }) => code)).toEqual([2, 1, 1, 1]);
  for (const { stdout, stderr } of outcomes) {
    expect(stdout).toBe('');
    expect(stderr).toMatch(/\S/);
  }
});

// contract 14.5
test('commands work without a running service as well', async () => {
  const data = await createUntouchedData(FIXTURE);
  try {
    const made = await runLoupe(['accounts', 'create', '--name', 'Alone', '--json'], data.settings);
    const listed = await runLoupeHere(['accounts', 'list', '--json'], data.settings);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(JSON.parse(listed.stdout)).toEqual([{ ...JSON.parse(made.stdout), keepsPhotos: false }]);
  } finally {
    await data.remove();
  }
});

// contract 16.18
test('the webhooks of all accounts are listed, or of one, without their secrets', async () => {
  const [one, other] = [await service.newKey(), await service.newKey()];
  const url = 'https://shop.example/loupe';
  for (const { api } of [one, other]) {
    const body = { url, events: ['model.drift'] };
    expect((await api.send('POST', '/v3/webhooks', { body })).status).toBe(201);
  }
  const all = await json<{ account: string }[]>('webhooks', 'list');
  expect(all.map(({ account }) => account)).toEqual(expect.arrayContaining([one.accountId, other.accountId]));
  expect(await json('webhooks', 'list', '--account', one.accountId)).toEqual([
    {
      ...{ id: expect.stringMatching(/^webhook_/), account: one.accountId, url, events: ['model.drift'] },
      ...{ test: false, creditsBelow: null, createdAt: expect.any(String), disabledAt: null },
      ...{ failures: 0, lastFailure: null, keyId: one.keyId, keyEndedAt: null },
    },
  ]);
});

// contract 13.17
test('an import that finds nothing says so and fails', async () => {
  const folder = temporaryFolder();
  const words = ['catalog', 'import', folder, '--no-wait'];
  writeFileSync(join(folder, 'products.csv'), 'id,title\n');
  const stderr = expect.stringContaining('There is no file of a bundle in');
  expect(await loupe(words)).toMatchObject({ code: 1, stderr });
  writeFileSync(join(folder, 'products.jsonl'), '\n');
  expect(await runLoupe(words, environmentOf(service))).toMatchObject({
    code: 1,
    stdout: 'nothing was imported: there is no record in it\n',
  });
});
