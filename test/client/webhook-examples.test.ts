import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWebhookSecret, signedHeaders } from '../../models/webhooks/message-signature';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 16.12: what `docs/api/webhooks.md` says verifies messages does so, as it stands there. */
const ROOT = join(__dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/api/webhooks.md'), 'utf8');
const program = (language: string): string =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].find(([, of]) => of === language)?.[2] ?? '';

const secret = makeWebhookSecret();
const body = '{"type":"vision.job.done","data":{"name":"Hermès"}}';
const now = Math.floor(Date.now() / 1000);
const headers = signedHeaders(secret, 'msg_1', now, body);

/** Each a message, and whether it is ours. */
const MESSAGES = [
  [secret, headers, body, true],
  [secret, headers, body.replace('done', 'gone'), false],
  [makeWebhookSecret(), headers, body, false],
  [secret, { ...headers, 'webhook-id': 'msg_2' }, body, false],
  [secret, { ...headers, 'webhook-signature': 'v1,' }, body, false],
  [secret, signedHeaders(secret, 'msg_1', now - 3_600, body), body, false],
] as const;
const expected = MESSAGES.map(([, , , isOurs]) => isOurs);

const LANGUAGES = [
  [
    'ts',
    [process.execPath, '--import', 'tsx'],
    'mts',
    (given: string) =>
      `console.log(JSON.stringify(${given}.map(([secret, headers, body]) => isFromLoupe(secret, new Headers(headers), body))));`,
  ],
  [
    'python',
    ['python3'],
    'py',
    (given: string) =>
      `import json\nprint(json.dumps([is_from_loupe(s, h, b.encode()) for s, h, b in json.loads(${JSON.stringify(given)})]))`,
  ],
] as const;

const folder = temporaryFolder();

describe.each(LANGUAGES)('the example in %s', (language, [command, ...options], extension, ask) => {
  const isThere = spawnSync(command, ['--version']).status === 0;
  const title = `tells messages of ours from all others${isThere ? '' : ` (no ${command} on this machine)`}`;

  (isThere ? test : test.skip)(title, () => {
    const file = join(folder, `example.${extension}`);
    const given = JSON.stringify(MESSAGES.map(([ofSecret, of, text]) => [ofSecret, of, text]));
    writeFileSync(file, `${program(language)}\n${ask(given)}\n`);
    const { stdout, stderr } = spawnSync(command, [...options, file], { cwd: ROOT, encoding: 'utf8' });
    expect([stderr, JSON.parse(stdout || 'null')]).toEqual(['', expected]);
  });

  test('has about ten lines', () => {
    expect(program(language).trim().split('\n').length).toBeLessThanOrEqual(12);
  });
});

test('a message is signed as the example of Standard Webhooks is', () => {
  expect(
    signedHeaders(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    )['webhook-signature'],
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
