import { execFile } from 'node:child_process';
import { CommanderError } from 'commander';
import { buildProgram } from '../../scripts/commands/program';
import { processEnvironment } from '../../scripts/config';
import { LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../../scripts/service-processes';
import { ApiClient } from '../support/api-client';
import { createFixtureData, FIXTURE } from '../support/fixture-data';
import { useService } from '../support/service';

/** running.md "Commands": accounts, keys, usage and predictions, as an operator's scripts call them. */
const service = useService();

/** Each command is a process of its own. */
jest.setTimeout(120_000);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a process of its own, beside the service of this file or on other settings. */
function loupe(words: readonly string[], settings?: Readonly<Record<string, string>>): Promise<Outcome> {
  const { DATA_DIR, DATABASE_URL } = service.config;
  const own = settings ?? { DATA_DIR, ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) };
  const env = { PATH: processEnvironment()['PATH'], ...own };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...LOUPE_ARGUMENTS, ...words],
      { cwd: REPOSITORY_ROOT, env },
      (failure, stdout, stderr) => {
        const code = failure === null ? 0 : Number(failure.code ?? -1);
        resolve({ code, stdout, stderr });
      },
    );
  });
}

/** What a command prints with `--json`. */
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

test('an account is made, listed and credited', async () => {
  const account = await json<AccountDocument>('accounts', 'create', '--name', 'Maison', '--credits', '3');
  expect(account).toEqual({ id: expect.stringMatching(/\S/), name: 'Maison', credits: 3 });
  expect(await json('accounts', 'credit', account.id, '4')).toEqual({ id: account.id, credits: 7 });
  expect(await json('accounts', 'list')).toContainEqual({ ...account, credits: 7 });
  expect(await service.balance(account.id)).toBe(7);
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

test('usage tells what an account was charged, by day and endpoint, in a span of time', async () => {
  const { key, accountId } = await service.newKey({ credits: 20 });
  const api = new ApiClient(service.url, key);
  for (const call of [() => api.query({}), () => api.query({}), () => api.v1({}), () => api.item('nobody')])
    await call();
  const day = new Date().toISOString().slice(0, 10);
  const [all, since, until, text] = await Promise.all([
    json('usage', '--account', accountId),
    json('usage', '--account', accountId, '--since', day),
    json('usage', '--account', accountId, '--until', `${day}T00:00:00Z`),
    loupe(['usage', '--account', accountId]),
  ]);
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

test('a prediction is shown with model, time, neighbours and distances', async () => {
  await service.sees(['product_submariner', 0.05]);
  const photo = { base64: (await service.photo()).toString('base64') };
  const { predictionId } = (await service.api.identifyV2(photo)).body;
  const shown = await json<{ createdAt: string }>('predictions', 'show', predictionId);
  expect(shown).toMatchObject({
    id: predictionId,
    model: expect.stringMatching(/@/),
    neighbours: [{ imageId: expect.any(Number), distance: 0.05 }],
    rows: [{ id: 'product_submariner' }],
  });
  expect(Date.parse(shown.createdAt)).not.toBeNaN();
});

test('what does not exist is exit code 1, wrong usage is 2, each with a reason on stderr and nothing on stdout', async () => {
  const outcomes = await Promise.all([
    loupe(['keys', 'revoke', 'key_nobody', '--json']),
    loupe(['usage', '--account', 'account_nobody', '--json']),
    loupe(['accounts', 'credit', 'account_nobody', '5', '--json']),
    loupe(['accounts', 'credit', 'account_nobody', 'five', '--json']),
  ]);
  expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1, 2]);
  for (const { stdout, stderr } of outcomes) {
    expect(stdout).toBe('');
    expect(stderr).toMatch(/\S/);
  }
});

describe('wrong usage is', () => {
  /** Why the words are refused. */
  async function refusal(words: readonly string[]): Promise<string> {
    let told = '';
    const program = buildProgram(words);
    for (const command of [program, ...program.commands.flatMap((group) => [group, ...group.commands])]) {
      command.configureOutput({
        writeErr: (text) => {
          told += text;
        },
      });
    }
    await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow(CommanderError);
    return told;
  }

  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['accounts', 'steal'], /steal/],
    ['a missing name', ['accounts', 'create'], /--name/],
    ['a blank name', ['keys', 'create', '--account', 'x', '--name', ' ', '--versions', 'v3'], /--name/],
    [
      'an unknown version',
      ['keys', 'create', '--account', 'x', '--name', 'n', '--versions', 'v4'],
      /v1,v2,v3/,
    ],
    ['no version', ['keys', 'create', '--account', 'x', '--name', 'n', '--versions', ''], /v1,v2,v3/],
    ['half a credit', ['accounts', 'create', '--name', 'n', '--credits', '0.5'], /--credits/],
    ['an amount that is no number', ['accounts', 'credit', 'x', 'five'], /amount/],
    ['a negative amount', ['accounts', 'credit', 'x', '-5'], /-5/],
    ['a day that does not exist', ['usage', '--account', 'x', '--since', '2026-02-31'], /--since/],
    ['a time that is none', ['usage', '--account', 'x', '--until', '1'], /--until/],
    ['a prediction that is not named', ['predictions', 'show'], /predictionId/],
  ])('%s', async (_what, words, reason) => {
    expect(await refusal(words)).toMatch(reason);
  });
});

test('--help on a group and on a command says how it is used', async () => {
  const [group, command] = await Promise.all([
    loupe(['accounts', '--help']),
    loupe(['keys', 'create', '--help']),
  ]);
  expect([group.code, command.code]).toEqual([0, 0]);
  expect(group.stdout).toContain('Usage: loupe accounts');
  for (const option of [
    '--account',
    '--name',
    '--versions',
    '--test',
    '--per-second',
    '--per-minute',
    '--concurrency',
  ])
    expect(command.stdout).toContain(option);
});

test('without a running service the commands work as well', async () => {
  const data = await createFixtureData(processEnvironment()['TEST_DATABASE_URL'], FIXTURE);
  try {
    const made = await loupe(['accounts', 'create', '--name', 'Alone', '--json'], data.settings);
    const listed = await loupe(['accounts', 'list', '--json'], data.settings);
    expect(JSON.parse(listed.stdout)).toEqual([JSON.parse(made.stdout)]);
  } finally {
    await data.remove();
  }
});
