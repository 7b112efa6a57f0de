import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Bundle, type BundleFileName } from '../../scripts/import/bundle';
import { unpackArchive } from '../../workers/library/unpack-archive';
import { type TarEntry, tarOf } from '../support/tar-archive';
import { temporaryFolder } from '../support/temporary-folder';

type Files = Readonly<Record<string, string | Buffer>>;

let root: string;
const opened: Bundle[] = [];

beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, 'spool'));
});
afterEach(async () => {
  for (const bundle of opened.splice(0)) await bundle.close();
});

function folder(files: Files, path = join(root, 'bundle')): string {
  mkdirSync(path);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

async function archive(name: string, entries: readonly TarEntry[]): Promise<string> {
  const bytes = await tarOf(entries);
  const path = join(root, name);
  writeFileSync(path, name.endsWith('gz') ? gzipSync(bytes) : bytes);
  return path;
}

async function open(path: string): Promise<Bundle> {
  const bundle = await Bundle.open(path, join(root, 'spool'));
  opened.push(bundle);
  return bundle;
}

async function read(bundle: Bundle, name: BundleFileName): Promise<unknown[] | null> {
  const file = await bundle.file(name);
  if (!file) return null;
  const values: unknown[] = [];
  for await (const { lines } of file.read())
    values.push(...lines.map((line) => ('reason' in line ? line.reason : line.record)));
  return values;
}

const reasons = (bundle: Bundle) => bundle.faults.map(({ file, reason }) => `${file}: ${reason}`);
const spooled = () => readdirSync(join(root, 'spool'));

describe('a bundle', () => {
  // contract 13.1
  test('may be a folder in which every file is optional; unknown files cause a warning', async () => {
    const files = { 'products.jsonl': '{"a":1}\n{"a":2}\n', 'prodcuts.jsonl': '', 'a.jpg': '' };
    const bundle = await open(folder(files));
    expect(await read(bundle, 'products.jsonl')).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await read(bundle, 'entities.jsonl')).toBeNull();
    expect(bundle.faults).toEqual([]);
    expect(bundle.warnings).toEqual(['prodcuts.jsonl is no file of a bundle and is not read']);
  });

  const ARCHIVES = ['b.tar', 'b.tar.gz'];
  test.each(ARCHIVES)('may be an archive, with its folder or not, and leaves nothing: %s', async (name) => {
    for (const prefix of ['', './', 'my-bundle/']) {
      const path = await archive(name, [
        { name: `${prefix}images/a.png`, body: 'pixels' },
        { name: `${prefix}tags.jsonl`, body: '{"t":1}' },
        { name: `${prefix}categories.jsonl`, body: '{"c":1}' },
      ]);
      const bundle = await open(path);
      expect(await read(bundle, 'categories.jsonl')).toEqual([{ c: 1 }]);
      expect(await read(bundle, 'tags.jsonl')).toEqual([{ t: 1 }]);
      expect(await bundle.files.read('images/a.png', 100)).toEqual(Buffer.from('pixels'));
      expect(spooled()).toHaveLength(1);
      await bundle.close();
      expect(spooled()).toEqual([]);
    }
  });

  test('may hold each file gzipped, which its bytes show; the same file plain and gzipped is a fault', async () => {
    const packed = gzipSync('{"a":1}\n');
    const files = { 'tags.jsonl.gz': packed, 'entities.jsonl': packed, 'products.jsonl.gz': '{"plain":1}' };
    const bundle = await open(folder({ ...files, 'synonyms.jsonl': '{"b":1}', 'synonyms.jsonl.gz': packed }));
    expect(await read(bundle, 'tags.jsonl')).toEqual([{ a: 1 }]);
    expect(await read(bundle, 'entities.jsonl')).toEqual([{ a: 1 }]);
    expect(await read(bundle, 'products.jsonl')).toEqual([{ plain: 1 }]);
    expect(await read(bundle, 'synonyms.jsonl')).toEqual([{ b: 1 }]);
    expect(reasons(bundle)).toEqual(['synonyms.jsonl.gz: not read, because synonyms.jsonl is there too']);
  });

  test('gives what can be read of a gzip file that ends early or has gone, and a fault for the rest', async () => {
    const whole = gzipSync(Array.from({ length: 20_000 }, (_, i) => `{"a":${i * 7919}}\n`).join(''));
    const path = folder({ 'tags.jsonl.gz': whole.subarray(0, whole.length / 2) });
    const bundle = await open(path);
    const lines = (await read(bundle, 'tags.jsonl')) ?? [];
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.at(-1)).toMatch(/cannot be read from here on/);
    const file = await bundle.file('tags.jsonl');
    rmSync(path, { recursive: true });
    const [gone] = await Readable.from(file?.read() ?? []).toArray();
    expect(gone.lines).toMatchObject([{ line: 1, reason: expect.stringContaining('on: ENOENT') }]);
    await expect(unpackArchive(path, root)).rejects.toThrow('ENOENT');
  });

  test('is an error when it does not exist or is not an archive', async () => {
    writeFileSync(join(root, 'text.tar'), 'this is no archive '.repeat(100));
    writeFileSync(join(root, 'cut.tar.gz'), gzipSync(Buffer.alloc(100_000, 'x')).subarray(0, 50));
    writeFileSync(join(root, 'shop.zip'), 'PK\x03\x04');
    const reason = /^ENOENT: .*nowhere|is no readable tar archive: /;
    for (const name of ['nowhere', 'text.tar', 'cut.tar.gz'])
      await expect(open(join(root, name))).rejects.toThrow(reason);
    await expect(open(join(root, 'shop.zip'))).rejects.toThrow('it is a zip; unpack it');
    await expect(Bundle.open(join(root, 'shop.zip'), '/proc/loupe/spool')).rejects.toThrow('/proc');
    expect(spooled()).toEqual([]);
  });

  // contract 13.17
  test.each<[string, Files]>([
    ['of pictures', { 'images/a.png': 'pixels' }],
    ['of tables', { 'products.csv': 'id,title\n', 'readme.txt': '' }],
    ['that is empty', {}],
    ['one folder too far out', { 'my-bundle/products.jsonl': '{}' }],
  ])('is an error that says so without a record file: a folder %s', async (_name, files) => {
    await expect(open(folder(files))).rejects.toThrow(/There is no file of a bundle in .*products\.jsonl/);
  });

  // contract 13.17
  test('is an error without a record file as an archive, but not for the hidden files of macOS', async () => {
    const tables = await archive('b.tar.gz', [{ name: 'products.csv', body: 'id,title' }]);
    await expect(open(tables)).rejects.toThrow(
      /\nproducts\.csv is a table, which is imported by its own path, and/,
    );
    expect(spooled()).toEqual([]);
    const path = await archive('b.tar', [
      { name: './._my-bundle', body: 'resource' },
      { name: 'my-bundle/products.jsonl', body: '{"p":1}' },
      { name: 'my-bundle/._products.jsonl', body: 'resource' },
    ]);
    expect(await read(await open(path), 'products.jsonl')).toEqual([{ p: 1 }]);
  });
});

// contract 13.18
describe('a picture is found by its name', () => {
  const spellings = [
    'sac-\u00e9t\u00e9.png',
    'sac-e\u0301te\u0301.png',
    // Composed here, decomposed there; and a character that is composed as another one.
    'sac-\u00e9te\u0301.png',
    'sac-e\u0301t\u00e9.png',
    '\u212bngstr\u00f6m.png',
    'A\u030angstro\u0308m.png',
    '\u00c5ngstr\u00f6m.png',
    '\uac00\ubc29.png',
    '\u1100\u1161\u1107\u1161\u11bc.png',
  ];

  test.each(['folder', 'b.tar', 'b.tar.gz'])('in whichever Unicode form it is in a %s', async (kind) => {
    for (const there of spellings) {
      const files = { 'tags.jsonl': '', [`images/${there}`]: there, [`${there}/${there}`]: there };
      const entries = Object.entries(files).map(([name, body]) => ({ name, body }));
      const path = kind === 'folder' ? folder(files) : await archive(kind, entries);
      const bundle = await open(path);
      const named = spellings.filter((each) => each.normalize('NFC') === there.normalize('NFC'));
      for (const name of named.flatMap((each) => [`images/${each}`, `${each}/${each}`]))
        expect((await bundle.files.read(name, 100)).toString()).toBe(there);
      rmSync(path, { recursive: true });
    }
  });

  test('by its exact spelling where several exist side by side, and not through a link', async () => {
    const [composed = '', decomposed = ''] = spellings;
    const contents = {
      [`images/${composed}`]: 'composed',
      [`images/${decomposed}`]: 'decomposed',
      [`${composed}/a.png`]: 'a',
      [`${decomposed}/b.png`]: 'b',
    };
    const path = folder({ 'tags.jsonl': '', ...contents });
    writeFileSync(join(root, 'secret'), 'secret');
    symlinkSync(join(root, 'secret'), join(path, 'e\u0301.png'));
    const bundle = await open(path);
    for (const [name, content] of Object.entries(contents))
      expect(String(await bundle.files.read(name, 100))).toBe(content);
    expect(String(await bundle.files.read(`${decomposed}/a.png`, 100))).toBe('a');
    expect(String(await bundle.files.read(`${composed}/b.png`, 100))).toBe('b');
    await expect(bundle.files.read(`${composed}/c\u00e9.png`, 100)).rejects.toThrow('there is no such file');
    await expect(bundle.files.read('\u00e9.png', 100)).rejects.toThrow('a symbolic link');
  });
});

describe('nothing outside of a bundle is read', () => {
  test('through links in a folder', async () => {
    const path = folder({ 'synonyms.jsonl': '', 'images/real.png': 'pixels' });
    folder({ 'a.png': 'secret' }, join(root, 'outside'));
    const secret = join(root, 'outside', 'a.png');
    symlinkSync(secret, join(path, 'images', 'soft.png'));
    linkSync(secret, join(path, 'images', 'hard.png'));
    symlinkSync(join(root, 'outside'), join(path, 'folder'));
    symlinkSync(secret, join(path, 'tags.jsonl'));
    linkSync(secret, join(path, 'products.jsonl'));
    const bundle = await open(path);
    expect(reasons(bundle).sort()).toEqual([
      'folder: a symbolic link',
      'images/hard.png: a hard link',
      'images/soft.png: a symbolic link',
      'products.jsonl: a hard link',
      'tags.jsonl: a symbolic link',
    ]);
    await expect(bundle.files.read('images/soft.png', 100)).rejects.toThrow('a symbolic link');
    await expect(bundle.files.read('images/hard.png', 100)).rejects.toThrow('a hard link');
    await expect(bundle.files.read('folder/a.png', 100)).rejects.toThrow('a path through a link');
    expect(await read(bundle, 'tags.jsonl')).toBeNull();
    expect(await read(bundle, 'products.jsonl')).toBeNull();
    expect(await bundle.files.read('images/real.png', 100)).toEqual(Buffer.from('pixels'));
  });

  test('or written, through the entries of an archive', async () => {
    const path = await archive('b.tar', [
      { name: '/etc/loupe-absolute', body: 'x' },
      { name: '../../loupe-escaped', body: 'x' },
      { name: 'images/../../loupe-escaped', body: 'x' },
      { name: 'images/soft.png', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'folder', type: 'symlink', linkname: root },
      { name: 'folder/through.png', body: 'x' },
      { name: 'images/hard.png', type: 'link', linkname: '../../secret' },
      { name: 'pipe', type: 'fifo' },
      { name: 'tags.jsonl', body: '{"t":1}' },
    ]);
    const bundle = await open(path);
    expect(reasons(bundle)).toEqual([
      '/etc/loupe-absolute: an absolute path',
      '../../loupe-escaped: a path that leaves the bundle',
      'images/../../loupe-escaped: a path that leaves the bundle',
      'images/soft.png: a symbolic link',
      'folder: a symbolic link',
      'images/hard.png: a hard link',
      'pipe: no plain file',
    ]);
    expect(await read(bundle, 'tags.jsonl')).toEqual([{ t: 1 }]);
    expect(readdirSync(root).sort()).toEqual(['b.tar', 'spool']);
  });

  test.each([
    ['/etc/passwd', 'an absolute path'],
    ['C:/windows', 'an absolute path'],
    ['images/../../x.png', 'a path that leaves the bundle'],
    ['images\\x.png', 'a path with a character that it cannot have'],
    ['', 'an empty path'],
    ['images', 'no plain file'],
    ['images/none.png', 'there is no such file in the bundle'],
    ['none/none.png', 'there is no such file in the bundle'],
    ['images/real.png/x', 'there is no such file in the bundle'],
    ['images/big.png', 'larger than 10 bytes'],
  ])('by the path %p', async (path, reason) => {
    const files = { 'tags.jsonl': '', 'images/real.png': 'pixels', 'images/big.png': 'x'.repeat(11) };
    await expect((await open(folder(files))).files.read(path, 10)).rejects.toThrow(reason);
  });
});
