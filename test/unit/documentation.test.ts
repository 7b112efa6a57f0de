import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { buildProgram } from '../../scripts/commands/run-command';
import { settingNames } from '../../scripts/config';

const ROOT = resolve(__dirname, '../..');
const FOLDERS = ['api', 'db', 'docs', 'models', 'scripts', 'test', 'workers'];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** The first group of each match, or the whole match. */
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([all, group]) => group ?? all);

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((entry) => join(folder, entry)),
);
const sources = [
  ...['.ci/run', '.dependency-cruiser.cjs', 'Dockerfile', 'docker-compose.yml'],
  ...files.filter((path) => /\.(tsx?|py|cjs|ya?ml)$/.test(path)),
];
const pages = ['README.md', ...files.filter((path) => path.endsWith('.md'))];

describe.each(pages)('%s', (page) => {
  const text = read(page);

  /** Headings as GitHub turns them into anchors. */
  const anchorsOf = (path: string): string[] =>
    matches(read(path), /^#+ (.+)$/gm).map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    );

  test('links only to files and headings that exist', () => {
    const isBroken = (link: string): boolean => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      return !exists(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    };
    expect(matches(text, /\]\((?!https?:)([^)\s]+)\)/g).filter(isBroken)).toEqual([]);
  });

  test('names only files, folders and npm scripts that exist', () => {
    const paths = matches(text, /`((?:api|db|docs|models|scripts|test|workers)\/[\w./-]*)`/g);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
    const { scripts }: { scripts: object } = JSON.parse(read('package.json'));
    const named = matches(text, /\bnpm run (?:--silent )?([a-z:0-9]+)/g);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names only commands of loupe that exist, with their options', () => {
    const COMMAND = /(?:\bnpx loupe|\bnpm run loupe --|scripts\/loupe\.sh|`loupe) ((?:[^\s`&|#]+ ?)+)/g;
    const named = matches(text.replaceAll('\\\n', ' '), COMMAND);
    expect(named.map((words) => faultOf(words.trim().split(/\s+/))).filter(Boolean)).toEqual([]);
  });
});

const program = buildProgram(buildProgram([]).commands.map((group) => group.name()));

/** The fault in the words of a command; null when there is none. */
function faultOf([first, second, ...rest]: readonly string[]): string | null {
  const find = (above: CommandUnknownOpts, name: string | undefined) =>
    above.commands.find((each) => each.name() === name);
  const group = find(program, first);
  const command = group && group.commands.length > 0 ? find(group, second) : group;
  if (!command) return second === undefined && group ? null : `no command ${first} ${second}`;
  const unknown = [second ?? '', ...rest]
    .map((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1])
    .find((flag) => flag !== undefined && !command.options.some(({ long }) => long === flag));
  return unknown === undefined ? null : `${first} ${second} has no ${unknown}`;
}

test('code cites only pages, and CI, the Dockerfile and npm scripts only files, that exist', () => {
  const cited = sources.flatMap((path) => matches(read(path), /\bdocs\/[\w/-]+\.md\b/g));
  const FILE = /\b((?:api|db|models|scripts|test|workers)\/[\w./-]+\.(?:[cm]?[jt]s|sh))\b/g;
  const named = ['.ci/run', 'Dockerfile', 'package.json'].flatMap((path) => matches(read(path), FILE));
  for (const paths of [cited, named]) {
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  }
});

test('the page of settings lists every setting, and no others', () => {
  const rows = matches(read('docs/settings.md'), /^\| (`[^|]*)\|/gm);
  expect(rows.flatMap((row) => matches(row, /`(\w+)`/g)).sort()).toEqual([...settingNames()].sort());
});

test('compose passes on every setting except those of a container or of a client', () => {
  const compose = read('docker-compose.yml');
  const passed = matches(compose, /^ +([A-Z0-9_]+): /gm);
  // Workers take pictures of the catalog by the limits of imports; commands run in the api's container.
  expect(compose.split('\nservices:')[1]).not.toMatch(/^ +(AWS|IMAGE(?!_BASE)|INFERENCE|MODEL)/m);
  const left = settingNames().filter((name) => !passed.includes(name));
  expect([...left].sort()).toEqual(['DATA_DIR', 'HOST', 'LOUPE_API_KEY', 'LOUPE_URL', 'PORT']);
});

test('the messages explained to operators are those in the code', () => {
  const product = sources.filter((path) => !path.startsWith('test'));
  const code = product
    .map(read)
    .join('\n')
    .replace(/\$\{[^}]*\}/g, '…');
  const explained = matches(read('docs/troubleshoot.md'), /^\|([^|]*)\|/gm)
    .flatMap((cell) => matches(cell, /`([^`]+)`(?! \(of )/g))
    .flatMap((message) => message.split('…').map((part) => part.replace(/^[\s"/]+|[\s".:]+$/g, '')))
    .filter((part) => part.includes(' '));
  expect(explained.length).toBeGreaterThan(30);
  expect(explained.filter((part) => !code.includes(part))).toEqual([]);
});

describe('the contract', () => {
  /** `contract 4.3`, `contract 4.3, 5.1`, or a whole section, `contract 5`; a list may go on in the next line of a comment. */
  const CITATION = /\bcontract ((?:\d+(?:\.\d+)?)(?:,\s(?:\s*\* )?\d+(?:\.\d+)?)*)/g;
  const contract = read('docs/contract.md');
  const rules = matches(contract, /^\| (\d+\.\d+) \|/gm);
  const citedIn = (paths: readonly string[]): string[] =>
    paths
      .filter((path) => /\.(tsx?|py)$/.test(path))
      .flatMap((path) => matches(read(path), CITATION).flatMap((list) => matches(list, /\d+(?:\.\d+)?/g)));

  test('gives each rule one number, and has every number that code and tests cite', () => {
    expect(rules.length).toBeGreaterThan(100);
    expect(new Set(rules).size).toBe(rules.length);
    const known = new Set([...rules, ...matches(contract, /^## (\d+)\./gm)]);
    expect(citedIn(files).filter((number) => !known.has(number))).toEqual([]);
  });

  test('has no rule that no test cites', () => {
    const cited = new Set(citedIn(files.filter((path) => path.startsWith('test'))));
    expect(rules.filter((rule) => !cited.has(rule))).toEqual([]);
  });
});
