import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';
import { temporaryFolder } from '../support/temporary-folder';
import { RESTORED, writerOf } from '../support/written-catalog';

/** The examples of `docs/api`: what stands there runs as it stands there, and prints what it says. */
const service = useService({ IMAGE_BYTES_MAX: String(20 * 2 ** 20) }, {}, RESTORED);
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/speedy_epi.jpg': 10,
});
const ROOT = join(__dirname, '../..');
const folder = temporaryFolder();
let key: string | null;

beforeAll(async () => {
  ({ key } = await writerOf(service));
  symlinkSync(join(ROOT, 'api/client'), join(folder, 'loupe'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // As large as a telephone's: too long for one argument of a command.
  writeFileSync(join(folder, 'photo.jpg'), Buffer.concat([service.photoBytes, randomBytes(3 * 2 ** 20)]));
  await service.sees(['product_birkin_croc', 0.05]);
});

const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0;
/** A test that needs a command of the machine; where that is missing, its name says why it is skipped. */
const testWith = (command: string, title: string, run: () => Promise<void>): void =>
  has(command) ? test(title, run) : test.skip(`${title} (no ${command} on this machine)`, run);

testWith('curl', 'the examples in curl print what they say', async () => {
  await expectToPrint('curl.md', 'sh', 'bash', ['-euo', 'pipefail', 'example.sh']);
});

testWith('curl', 'the first calls of the README and of the reference answer', async () => {
  const shell = (path: string) => fencedCode(readFileSync(join(ROOT, path), 'utf8'), 'sh');
  const [readme = ''] = /^printf[\s\S]*?--data @-$/m.exec(shell('README.md')) ?? [];
  const calls = [
    shell('api/ops/openapi/getting-started.md'),
    readme.replace('http://127.0.0.1:3000', '$LOUPE_URL').replace('$KEY', '$LOUPE_KEY'),
  ];
  for (const call of calls) {
    writeFileSync(join(folder, 'call.sh'), call);
    const { code, stdout } = await outputOf('bash', ['-euo', 'pipefail', 'call.sh']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ success: true, results: 1 })]);
  }
});

testWith('python3', 'the examples in Python print what they say', async () => {
  await expectToPrint('python.md', 'python', 'python3', ['example.python']);
});

test('the examples in TypeScript print what they say', async () => {
  await expectToPrint('typescript.md', 'ts', process.execPath, ['--import', 'tsx', 'example.mts'], 'mts');
});

test('the examples in TypeScript are sound in the strictest types', async () => {
  writeFileSync(join(folder, 'example.mts'), program('typescript.md', 'ts'));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
      include: [],
      files: ['example.mts'],
    }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  expect(await outputOf(process.execPath, [compiler, '--project', '.'])).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

/** Runs the blocks of a language in a page, one after the other, as one program. */
async function expectToPrint(
  page: string,
  language: string,
  command: string,
  options: readonly string[],
  extension = language,
): Promise<void> {
  writeFileSync(join(folder, `example.${extension}`), program(page, language));
  const { code, stdout, stderr } = await outputOf(command, options);
  expect([code, stderr.replace(/^.*Warning: .*\n/gm, '')]).toEqual([0, expect.any(String)]);
  expect(stdout.replace(/\r\n/g, '\n')).toMatch(formOf(program(page, 'text')));
}

const program = (page: string, language: string): string =>
  fencedCode(readFileSync(join(ROOT, 'docs/api', page), 'utf8'), language);

const fencedCode = (text: string, language: string): string =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of]) => of === language)
    .map(([, , text]) => text)
    .join('');

/** What is printed, where `…` stands for what differs each time. */
const formOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/…/g, '[^\\n]*')}$`);

function outputOf(
  command: string,
  options: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(command, options, {
    cwd: folder,
    env: { ...process.env, LOUPE_URL: service.url, LOUPE_KEY: key ?? '', PYTHONIOENCODING: 'utf-8' },
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...printed }));
  });
}
