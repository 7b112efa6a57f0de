import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateWebhookSecret, signedHeaders } from '../../models/webhooks/message-signature';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';
import { temporaryFolder } from '../support/temporary-folder';
import { RESTORED, writerOf } from '../support/written-catalog';

/** The examples of `docs/api`: each runs as written there, and prints what it says. */
const service = useService({ IMAGE_BYTES_MAX: String(20 * 2 ** 20) }, {}, RESTORED);
useEmbeddedPictures(service);
const ROOT = join(__dirname, '../..');
const folder = temporaryFolder();
let key: string | null;

beforeAll(async () => {
  ({ key } = await writerOf(service));
  symlinkSync(join(ROOT, 'api/client'), join(folder, 'loupe'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // As large as a phone's: too long for one argument of a command.
  writeFileSync(join(folder, 'photo.jpg'), Buffer.concat([service.photoBytes, randomBytes(3 * 2 ** 20)]));
  await service.sees(['product_birkin_croc', 0.05]);
});

/** A test that needs a command of the machine; if that is missing, its name says why it is skipped. */
const testWith = (command: string, title: string, run: () => Promise<void>): void =>
  spawnSync(command, ['--version']).status === 0
    ? test(title, run)
    : test.skip(`${title} (no ${command} on this machine)`, run);

/** The code blocks of a language in a page of the repository, in order. */
const program = (page: string, language: string): string =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of]) => of === language)
    .map(([, , text]) => text)
    .join('');

async function outputOf(command: string, ...options: readonly string[]) {
  const env = { ...process.env, LOUPE_URL: service.url, LOUPE_KEY: key ?? '', PYTHONIOENCODING: 'utf-8' };
  const running = promisify(execFile)(command, options, { cwd: folder, env });
  const { code = 0, stdout, stderr } = await running.catch((failure) => failure);
  return { code, stdout, stderr };
}

/** What is printed, with `…` for what differs each time. */
const formOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/…/g, '[^\\n]*')}$`);

/** The command for a program of each language; its file is appended. */
const RUN = {
  sh: ['bash', '-euo', 'pipefail', 'example.sh'],
  python: ['python3', 'example.py'],
  ts: [process.execPath, '--import', 'tsx', 'example.mts'],
} as const;
type Language = keyof typeof RUN;

/** Runs the blocks of a language in a page as one program, with more code after them. */
async function run(page: string, language: Language, more = '') {
  const [command, ...options] = RUN[language];
  writeFileSync(join(folder, String(options.at(-1))), `${program(page, language)}${more}`);
  return outputOf(command, ...options);
}

testWith('curl', 'the examples in curl print what they say', () => expectToPrint('docs/api/curl.md', 'sh'));

async function expectToPrint(page: string, language: Language) {
  const { code, stdout, stderr } = await run(page, language);
  expect([code, stderr.replace(/^.*Warning: .*\n/gm, '')]).toEqual([0, expect.any(String)]);
  expect(stdout.replace(/\r\n/g, '\n')).toMatch(formOf(program(page, 'text')));
}

testWith('curl', 'the first calls of the README and of the reference answer', async () => {
  const [readme = ''] = /^printf[\s\S]*?--data @-$/m.exec(program('README.md', 'sh')) ?? [];
  for (const call of [
    program('api/ops/openapi/getting-started.md', 'sh'),
    readme.replace('http://127.0.0.1:3000', '$LOUPE_URL').replace('$KEY', '$LOUPE_KEY'),
  ]) {
    const { code, stdout } = await outputOf('bash', '-euo', 'pipefail', '-c', call);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ success: true, results: 1 })]);
  }
});

testWith('python3', 'the examples in Python print what they say', () =>
  expectToPrint('docs/api/python.md', 'python'),
);

test('the examples in TypeScript print what they say', () => expectToPrint('docs/api/typescript.md', 'ts'));

test('the examples in TypeScript compile under the strictest types', async () => {
  writeFileSync(join(folder, 'example.mts'), program('docs/api/typescript.md', 'ts'));
  const compilerOptions = { module: 'esnext', moduleResolution: 'bundler', types: ['node'] };
  const own = { include: [], files: ['example.mts'] };
  const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, ...own };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const silent = { code: 0, stdout: '', stderr: '' };
  expect(await outputOf(process.execPath, compiler, '--project', '.')).toEqual(silent);
});

// contract 16.12
describe('messages to webhooks', () => {
  const PAGE = 'docs/api/webhooks.md';
  const secret = generateWebhookSecret();
  const body = '{"type":"vision.job.done","data":{"name":"Hermès"}}';
  const now = Math.floor(Date.now() / 1000);
  const headers = signedHeaders(secret, 'msg_1', now, body);

  /** Each a message, and whether it is ours. */
  const MESSAGES = [
    [secret, headers, body, true],
    [secret, headers, body.replace('done', 'gone'), false],
    [generateWebhookSecret(), headers, body, false],
    [secret, { ...headers, 'webhook-id': 'msg_2' }, body, false],
    [secret, { ...headers, 'webhook-signature': 'v1,' }, body, false],
    [secret, signedHeaders(secret, 'msg_1', now - 3_600, body), body, false],
  ] as const;
  const given = JSON.stringify(MESSAGES.map(([ofSecret, of, text]) => [ofSecret, of, text]));

  /** Runs the program of the page on the messages, and prints its verdict on each. */
  async function expectVerdicts(language: Language, ask: string) {
    expect(program(PAGE, language).trim().split('\n').length).toBeLessThanOrEqual(12);
    const { stdout, stderr } = await run(PAGE, language, `\n${ask}\n`);
    expect([stderr, JSON.parse(stdout || 'null')]).toEqual(['', MESSAGES.map(([, , , isOurs]) => isOurs)]);
  }

  const verdict = `${given}.map(([secret, headers, body]) => isFromLoupe(secret, new Headers(headers), body))`;
  test('are verified in about ten lines of TypeScript', () =>
    expectVerdicts('ts', `console.log(JSON.stringify(${verdict}));`));

  const verdicts = `[is_from_loupe(s, h, b.encode()) for s, h, b in json.loads(${JSON.stringify(given)})]`;
  testWith('python3', 'are told from all others in about ten lines of Python', () =>
    expectVerdicts('python', `import json\nprint(json.dumps(${verdicts}))`),
  );

  test('are signed as the example of Standard Webhooks is', () => {
    const [key, id] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'msg_p5jXN8AQM9LWM0D4loKWxJek'];
    const signed = signedHeaders(key, id, 1_614_265_330, '{"test": 2432232314}');
    expect(signed['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});
