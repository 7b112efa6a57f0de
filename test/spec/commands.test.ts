import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf } from '../../scripts/lab/service-processes';
import { ApiClient } from '../support/api-client';
import { newInstallation } from '../support/installation';
import { environmentOf, runLoupeHere } from '../support/run-loupe';
import { useService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.5: accounts, keys and usage, as an operator's scripts call them. */
const service = useService();

/** Runs a command beside the service of this file. Not two at a time. */
const loupe = (words: string) => runLoupeHere(words.split(' '), environmentOf(service));

async function json<Document>(words: string): Promise<Document> {
  const { code, stdout, stderr } = await loupe(`${words} --json`);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Document;
}

interface AccountDocument {
  readonly id: string;
  readonly credits: number | null;
}

interface KeyDocument {
  readonly id: string;
  readonly key: string;
}

const newKey = async (options: string) => {
  const { accountId } = await service.newKey();
  return json<KeyDocument>(`keys create --account ${accountId} --name shop --versions v3 ${options}`);
};
const clientOf = (key: string) => new ApiClient(service.url, key);
const statusOf = async (key: string) => (await clientOf(key).query({})).status;

describe('an account', () => {
  test('is made, listed, credited and corrected with a note, never to a balance below zero', async () => {
    const { id, ...account } = await json<AccountDocument>('accounts create --name Maison --credits 10');
    expect(account).toEqual({ name: 'Maison', credits: 10 });
    expect(await json(`accounts credit ${id} -4 --note refunded`)).toEqual({ id, credits: 6 });
    for (const [amount, code, reason] of [
      ['-7', 1, 'has 6 credits'],
      ['9999999999999999', 2, 'must be at most 1000000000000000'],
    ] as const) {
      const stderr = expect.stringContaining(reason);
      expect(await loupe(`accounts credit ${id} ${amount}`)).toMatchObject({ code, stderr });
    }
    expect(await json('accounts list')).toContainEqual({ ...account, id, credits: 6, keepsPhotos: false });
    expect(await json(`accounts history ${id}`)).toEqual([
      { at: expect.any(String), amount: 10, note: null },
      { at: expect.any(String), amount: -4, note: 'refunded' },
    ]);
    expect((await json<AccountDocument>('accounts create --name Maison')).credits).toBeNull();
  });

  // contract 7.11
  test('has its photos kept only while an operator has switched that on', async () => {
    const { accountId: id } = await service.newKey();
    for (const word of ['', ' off', ' on', ' --off']) {
      const keepsPhotos = !word.endsWith('off');
      expect(await json(`accounts keep-photos ${id}${word}`)).toEqual({ id, keepsPhotos });
      expect(await json('accounts list')).toContainEqual(expect.objectContaining({ id, keepsPhotos }));
    }
    expect((await loupe(`accounts keep-photos ${id} never`)).code).toBe(2);
  });

  // contract 10.5
  test('has its usage shown, by day and endpoint, in a period', async () => {
    const { api, accountId: account } = await service.newKey({ credits: 20 });
    for (const call of [() => api.query({}), () => api.v1({}), () => api.item('nobody')]) await call();
    const day = service.clock.now().toISOString().slice(0, 10);
    const usage = [
      { day, endpoint: 'v1.products', calls: 1, credits: 6 },
      { day, endpoint: 'v3.catalog.query', calls: 1, credits: 1 },
    ];
    const words = `usage --account ${account}`;
    expect(await json(`${words} --since ${day}`)).toEqual({ account, credits: 7, usage });
    expect(await json(`${words} --until ${day}T00:00:00Z`)).toEqual({ account, credits: 0, usage: [] });
    expect((await loupe(words)).stdout).toMatch(/v3\.catalog\.query[\s\S]*^7 credits$/m);
  });
});

describe('a key', () => {
  test('opens the running service within its versions, scopes and limits until it is revoked', async () => {
    const { id, key } = await newKey('--per-minute 2 --test --scopes catalog:read --expires 30d');
    expect(key).toMatch(/^loupe_test_[0-9A-Za-z]{32,}$/);
    const api = clientOf(key);
    expect((await api.query({})).headers.get('RateLimit-Limit')).toBe('2');
    expect([(await api.v1({})).status, (await api.identify(service.photo)).status]).toEqual([403, 403]);
    const { stdout } = await loupe('keys list --json');
    expect(stdout).not.toContain(key);
    const keys = JSON.parse(stdout) as { id: string; createdAt: string; expiresAt: string }[];
    const listed = keys.find((each) => each.id === id);
    expect(listed).toMatchObject({ name: 'shop', scopes: ['catalog:read'], revokedAt: null });
    const lifetimeMs = Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.createdAt ?? '');
    expect(Math.round(lifetimeMs / (24 * 3_600_000))).toBe(30);
    expect((await loupe(`keys revoke ${id}`)).code).toBe(0);
    expect(await statusOf(key)).toBe(401);
  });

  // contract 9.4
  test('that is rotated does the same under a new secret, and the old one ends with its first overlap', async () => {
    const old = await newKey('--scopes catalog:read --per-minute 7');
    const made = await json<KeyDocument>(`keys rotate ${old.id} --overlap 1`);
    expect(made).toEqual({
      ...{ ...old, id: expect.stringMatching(/\S/), key: expect.stringMatching(/^loupe_live_/) },
      ...{ expiresAt: null, replaced: { id: old.id, endsAt: expect.stringMatching(/^20/) } },
    });
    expect([made.id, made.key]).not.toEqual([old.id, old.key]);
    expect((await clientOf(made.key).query({})).headers.get('RateLimit-Limit')).toBe('7');
    const { stdout } = await loupe(`keys rotate ${old.id} --overlap 48`);
    expect(stdout).toMatch(new RegExp(`The old key ${old.id} stops working at \\d{4}-`));
    expect(stdout).toContain('It does not expire.');
    const last = await json<KeyDocument>(`keys rotate ${made.id} --overlap 0`);
    const opened = () => Promise.all([old.key, made.key, last.key].map(statusOf));
    // Commands go by the clock of the machine, which the standing one of the service is behind.
    service.clock.advance(30 * 60_000);
    expect(await opened()).toEqual([200, 401, 200]);
    service.clock.advance(3_600_000);
    expect(await opened()).toEqual([401, 401, 200]);
    const stderr = expect.stringMatching(/loupe keys create/);
    expect(await loupe(`keys rotate ${made.id}`)).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

test('the audit log says who did what to which account, without secrets', async () => {
  const { id } = await json<AccountDocument>('accounts create --name Maison --credits 3');
  await json(`accounts credit ${id} 4`);
  const key = await json<KeyDocument>(`keys create --account ${id} --name shop --versions v3`);
  const rotated = await json<KeyDocument>(`keys rotate ${key.id}`);
  await json(`keys revoke ${rotated.id}`);
  await loupe('keys create --account account_unknown --name n --versions v3');
  const { stdout } = await loupe(`audit log --account ${id} --json`);
  const entries = JSON.parse(stdout) as object[];
  const by = { actor: expect.stringMatching(/.@./), account: id };
  expect(entries).toMatchObject([
    { action: 'keys revoke', subject: rotated.id, ...by },
    { action: 'keys rotate', subject: rotated.id, ...by },
    { action: 'keys create', subject: key.id, ...by },
    { action: 'accounts credit', subject: id, ...by },
    { action: 'accounts create', subject: id, ...by },
  ]);
  expect(stdout).not.toContain(key.key.slice(-20));
  const text = (await loupe('audit log --limit 1')).stdout;
  expect([text.includes('keys revoke'), text.includes('keys rotate')]).toEqual([true, false]);
});

test('what does not exist is exit code 1, wrong usage is 2, each with a reason on stderr and nothing on stdout', async () => {
  // One in a process of its own, as operators run it.
  const wrong = 'accounts credit account_nobody five --json'.split(' ');
  const outcomes = [await outcomeOf(environmentOf(service), ...wrong)];
  const lists = ['usage', 'webhooks list', 'audit log'].map((words) => `${words} --account account_nobody`);
  for (const words of [
    'keys revoke key_nobody',
    ...lists,
    `${lists[0]} --since 2026-03-02 --until 2026-03-01`,
    'backup -',
  ])
    outcomes.push(await loupe(`${words} --json`));
  const stderr = expect.stringMatching(/\S/);
  expect(outcomes).toEqual([2, 1, 1, 1, 1, 2, 2].map((code) => ({ code, stdout: '', stderr })));
  expect(outcomes.at(-2)?.stderr).toMatch('--since must not be after --until');
});

// contract 14.5
test.each([
  ['backup', 'file/backup.tar', /file is a file, where a folder is needed/],
  ['backup', 'file/below/backup.tar', /file is a file, where a folder is needed/],
  ['backup', '', /is a folder; name a file/],
  ['backup', 'device', /device is no regular file; name a file/],
  ['catalog generate --products 1 --seed 1 --out', 'file', /file is a file, where a folder is needed/],
])('a path that cannot be written is named, and why: %s %s', async (words, path, stderr) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('/dev/null', join(folder, 'device'));
  const outcome = await loupe(`${words} ${join(folder, path)}`);
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) });
});

test('commands work without a running service as well', async () => {
  const { settings, remove } = await newInstallation({});
  try {
    const made = await runLoupeHere(['accounts', 'create', '--name', 'Alone', '--json'], settings);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const listed = await runLoupeHere(['accounts', 'list', '--json'], settings);
    expect(JSON.parse(listed.stdout)).toEqual([{ ...JSON.parse(made.stdout), keepsPhotos: false }]);
    const shown = await runLoupeHere(['catalog', 'show', '--json'], settings);
    expect(JSON.parse(shown.stdout)).toMatchObject({ pictures: { done: 0 }, groups: [] });
    for (const named of [[], ['--account', 'default']]) {
      const { stdout } = await runLoupeHere(['keys', 'create', '--json', ...named], settings);
      expect(JSON.parse(stdout)).toMatchObject({ account: 'account_default', versions: ['v1', 'v2', 'v3'] });
    }
  } finally {
    await remove();
  }
});

// contract 16.18
test('the webhooks of all accounts are listed, or of one, without their secrets', async () => {
  const [one, other] = [await service.newKey(), await service.newKey()];
  const url = 'https://shop.example/loupe';
  for (const { api } of [one, other])
    await api.send('POST', '/v3/webhooks', { body: { url, events: ['model.drift'] } });
  const all = (await json<{ account: string }[]>('webhooks list')).map(({ account }) => account);
  expect(all).toEqual(expect.arrayContaining([one.accountId, other.accountId]));
  expect(await json(`webhooks list --account ${one.accountId}`)).toEqual([
    {
      ...{ id: expect.stringMatching(/^webhook_/), account: one.accountId, url, events: ['model.drift'] },
      ...{ test: false, creditsBelow: null, createdAt: expect.any(String), disabledAt: null },
      ...{ failures: 0, lastFailure: null, keyId: one.keyId, keyEndedAt: null },
    },
  ]);
});

const AWAY = { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/x', STORE_WAIT_MS: '0' };

// contract 13.17, 13.21
test.each<[name: string, reason: string, server?: object]>([
  ['stock.xlsx', 'is not a text file; save a spreadsheet as CSV'],
  ['stock.zip', 'it is a zip; unpack it'],
  ['.', 'There is no file of a bundle in'],
  // An archive would be unpacked first.
  ['stock.zip', 'nothing listens there', AWAY],
])('an import of %s is refused before a database is made: %s', async (name, reason, ...[server]) => {
  const folder = temporaryFolder();
  for (const file of ['stock.xlsx', 'stock.zip']) writeFileSync(join(folder, file), 'PK\x03\x04');
  const settings = { DATA_DIR: join(folder, 'data'), ...server };
  const refused = await runLoupeHere(['catalog', 'import', join(folder, name)], settings);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
  expect(existsSync(settings.DATA_DIR)).toBe(false);
});

// contract 13.17
test('an import that finds nothing says so and fails', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'products.jsonl'), '\n');
  const stdout = 'nothing was imported: there is no record in it\n';
  const words = ['catalog', 'import', folder, '--no-wait'];
  expect(await outcomeOf(environmentOf(service), ...words)).toMatchObject({ code: 1, stdout });
});
