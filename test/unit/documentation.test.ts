import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { buildProgram } from '../../scripts/commands/program';
import { settingNames } from '../../scripts/config';

const ROOT = resolve(__dirname, '../..');
const FOLDERS = ['api', 'db', 'docs', 'models', 'scripts', 'test', 'workers'];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((entry) => join(folder, entry));

const sources = [
  ...['.ci/run', '.dependency-cruiser.cjs', 'Dockerfile', 'docker-compose.yml'],
  ...FOLDERS.flatMap(filesBelow).filter((path) => /\.(tsx?|py|cjs|ya?ml)$/.test(path)),
];
const pages = ['README.md', ...FOLDERS.flatMap(filesBelow).filter((path) => path.endsWith('.md'))];

/** Headings as GitHub makes anchors of them. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );

const isBroken = (page: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
  return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
};

test.each(pages)('%s links only to files and headings that exist', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => isBroken(page, link))).toEqual([]);
});

test.each(pages)('%s names only files and folders that exist', (page) => {
  const named = [...read(page).matchAll(/`((?:api|db|docs|models|scripts|test|workers)\/[\w./-]*)`/g)];
  const paths = named.map(([, path = '']) => path);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the code cites only pages that exist', () => {
  const cited = sources.flatMap((path) => [...read(path).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(String));
  expect(cited.length).toBeGreaterThan(5);
  expect(cited.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});

test('CI, the Dockerfile and the npm scripts name only files that exist', () => {
  const named = ['.ci/run', 'Dockerfile', 'package.json'].flatMap((path) => [
    ...read(path).matchAll(/\b((?:api|db|models|scripts|test|workers)\/[\w./-]+\.(?:[cm]?[jt]s|sh))\b/g),
  ]);
  const paths = named.map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the page of settings lists every setting, and none that there is not', () => {
  const listed = read('docs/settings.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed.sort()).toEqual([...settingNames()].sort());
});

test('compose passes every setting on but those of a container or of a client', () => {
  const passed = [...read('docker-compose.yml').matchAll(/^ +([A-Z0-9_]+): /gm)].map(([, name = '']) => name);
  const left = settingNames().filter((name) => !passed.includes(name));
  expect([...left].sort()).toEqual(['DATA_DIR', 'HOST', 'LOUPE_API_KEY', 'LOUPE_URL', 'PORT']);
});

test('the messages that are explained to operators are those of the code', () => {
  const code = sources
    .filter((path) => !path.startsWith('test'))
    .map(read)
    .join('\n')
    .replace(/\$\{[^}]*\}/g, '…');
  const explained = read('docs/troubleshoot.md')
    .split('\n')
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`(?! \(of )/g)])
    .flatMap(([, message = '']) => message.split('…').map((part) => part.replace(/^[\s"/]+|[\s".:]+$/g, '')))
    .filter((part) => part.includes(' '));
  expect(explained.length).toBeGreaterThan(30);
  expect(explained.filter((part) => !code.includes(part))).toEqual([]);
});

test.each(pages)('%s names only npm scripts that exist', (page) => {
  const { scripts }: { scripts: object } = JSON.parse(read('package.json'));
  const named = [...read(page).matchAll(/\bnpm run (?:--silent )?([a-z:0-9]+)/g)].map(
    ([, name = '']) => name,
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

describe('commands', () => {
  const COMMAND = /(?:\bnpx loupe|\bnpm run loupe --|scripts\/loupe\.sh|`loupe) ((?:[^\s`&|#]+ ?)+)/g;
  const program = buildProgram(buildProgram([]).commands.map((group) => group.name()));
  const find = (above: CommandUnknownOpts, name: string | undefined): CommandUnknownOpts | undefined =>
    above.commands.find((each) => each.name() === name);

  const faultOf = (words: readonly string[]): string | null => {
    const group = find(program, words[0]);
    const command = group && group.commands.length > 0 ? find(group, words[1]) : group;
    if (!command) return words[1] === undefined && group ? null : `no command ${words.slice(0, 2).join(' ')}`;
    const unknown = words
      .map((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1])
      .find((flag) => flag !== undefined && !command.options.some(({ long }) => long === flag));
    return unknown === undefined ? null : `${words[0]} ${words[1]} has no ${unknown}`;
  };

  test.each(pages)('of loupe in %s exist, with their options', (page) => {
    const named = [...read(page).replaceAll('\\\n', ' ').matchAll(COMMAND)];
    const faults = named.map(([, words = '']) => faultOf(words.trim().split(/\s+/))).filter(Boolean);
    expect(faults).toEqual([]);
  });
});
