import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { isInstalled } from '../../workers/embedder/backends';
import { sha256Of } from '../../workers/embedder/model-folder';
import { addModel } from '../../workers/library/add-model';
import { bundledModel, earlierModel, FolderModelLibrary } from '../../workers/library/model-library';
import { type TarEntry, tarOf } from '../support/tar-archive';
import { temporaryFolder } from '../support/temporary-folder';
import { colouredJpeg, meanColour, POOL, writeModel } from '../workers/tiny-models';
import { ADDED, addOptions, filesOf, libraryNames, NOTHING } from './library-fixture';

const ZEROS = '0'.repeat(64);
let root = '';
let dataDir = '';
let folder = '';

beforeEach(async () => {
  root = temporaryFolder();
  dataDir = join(root, 'data');
  folder = join(root, 'source');
  await mkdir(dataDir);
});

const add = (place = folder, change: Partial<ReturnType<typeof addOptions>> = {}) =>
  addModel(place, { ...addOptions(dataDir), ...change });
const write = (change: Partial<ModelManifest> = {}) => writeModel(folder, meanColour, change);

describe('models add', () => {
  test('installs a folder: the files that the manifest names, and no other files', async () => {
    const { calibration: _, ...written } = await write();
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(written));
    await writeFile(join(folder, 'notes.txt'), 'not part of the model');
    const { model, isNew } = await add();
    expect(isNew).toBe(true);
    expect(model.manifest).toEqual({ ...written, calibration: null });
    expect((await readdir(model.folder)).sort()).toEqual(filesOf(model.manifest));
    expect(await libraryNames(dataDir)).toEqual(ADDED);
    expect((await new FolderModelLibrary(dataDir).all()).models).toContainEqual(model);
  });

  test('brings the golden pair along and holds the model to it', async () => {
    await write({ golden: 'golden.json' });
    await writeFile(join(folder, 'golden.jpg'), await colouredJpeg(['#f00'], 8, 8));
    const golden = (embedding: number[]) => {
      const pair = { picture: 'golden.jpg', embedding, tolerance: 0.01 };
      return writeFile(join(folder, 'golden.json'), JSON.stringify(pair));
    };
    await golden([0, 1, 0]);
    await expect(add()).rejects.toThrow('it does not give its golden vector here');
    expect(await libraryNames(dataDir)).toEqual(NOTHING);
    await golden([1, 0, 0]);
    const { model } = await add();
    expect(await readdir(model.folder)).toEqual(expect.arrayContaining(['golden.jpg', 'golden.json']));
  });

  test('can be repeated, and refuses another model of the same name and one that was changed', async () => {
    await write();
    const both = await Promise.all([add(), add()]);
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    expect(await libraryNames(dataDir)).toEqual(ADDED);
    await write({ licence: 'another' });
    await expect(add()).rejects.toThrow('another model is installed as tiny@1.0.0');
    await write({ version: '1.0.1' });
    const { model, isNew } = await add();
    expect(isNew).toBe(true);
    await writeFile(join(model.folder, 'weights-1.bin'), 'other');
    await expect(add()).rejects.toThrow(/weights-1\.bin has SHA-256/);
    await writeFile(join(model.folder, 'manifest.json'), '{');
    await expect(add()).rejects.toThrow('is in its place: manifest.json is no JSON');
  });

  // contract 14.14
  test('ignores a folder that is broken or named after another model; the library names both', async () => {
    await mkdir(join(dataDir, 'models', 'odd'), { recursive: true });
    await writeModel(join(dataDir, 'models', 'trusted@1.0.0'), meanColour);
    await write();
    await add();
    const { models, broken } = await new FolderModelLibrary(dataDir).all();
    expect(models.map(({ manifest, bundled }) => [manifest.id, bundled])).toEqual([
      [(await bundledModel()).manifest.id, true],
      [(await earlierModel()).manifest.id, true],
      ['tiny', false],
    ]);
    expect(broken).toEqual([
      expect.objectContaining({ name: 'odd', reason: 'there is no manifest.json that can be read' }),
      expect.objectContaining({ name: 'trusted@1.0.0', reason: expect.stringContaining('tiny@1.0.0') }),
    ]);
  });

  test.each([
    ['bundled model', bundledModel],
    ['bundled model of the release before', earlierModel],
  ])('leaves the name of the %s to it', async (_, shipped) => {
    const { id, version } = (await shipped()).manifest;
    await write({ id, version });
    await expect(add()).rejects.toThrow('is a model that ships with Loupe');
  });

  test('removes what a killed command left: at once on this host, and from another host when no command could run that long', async () => {
    const work = join(dataDir, 'models', '.work');
    const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
    // A container may give the pid of the killed command to the next one.
    const left = [`${host}.${process.pid}.earlier.x`, 'elsewhere.1.old', 'elsewhere.1.new'];
    for (const name of left) await mkdir(join(work, name), { recursive: true });
    const nineHoursAgo = Date.now() / 1000 - 9 * 60 * 60;
    await utimes(join(work, 'elsewhere.1.old'), nineHoursAgo, nineHoursAgo);
    await write();
    await add();
    expect((await libraryNames(dataDir)).work).toEqual(['elsewhere.1.new']);
  });

  test('holds the manifest to the SHA-256 that the operator has', async () => {
    await write();
    const sha256 = await sha256Of(join(folder, 'manifest.json'));
    const reason = `manifest.json has SHA-256 ${sha256}, not 000`;
    await expect(add(folder, { sha256: ZEROS })).rejects.toThrow(reason);
    expect(await add(folder, { sha256 })).toMatchObject({ isNew: true });
  });

  test('ends at once below a folder that takes none', async () => {
    await write();
    await expect(add(folder, { dataDir: '/proc/loupe/data' })).rejects.toThrow('/proc');
  });

  describe('refuses with the reason, and leaves nothing behind', () => {
    afterEach(async () => expect(await libraryNames(dataDir)).toEqual(NOTHING));

    test.each<[string, Partial<ModelManifest>, RegExp]>([
      ['wrong dimensions', { output: { dimensions: 4 } }, /it answers 3 values for a picture/],
      ['a golden pair that is not there', { golden: 'lost.json' }, /there is no file lost\.json/],
    ])('%s', async (_case, change, reason) => {
      await write(change);
      await expect(add()).rejects.toThrow(reason);
    });

    // contract 14.14
    test.each([
      ['lost.bin', /there is no file lost\.bin/],
      ['model.json', /model\.json has SHA-256 .*, not 000/],
      ['manifest.json', /digests: manifest\.json .*manifest\.json/],
      ['MANIFEST.json', /digests: MANIFEST\.json .*manifest\.json/],
      ['Model.json', /Model\.json .*model\.json/],
      ['model.json/weights.bin', /model\.json\/weights\.bin .*model\.json/],
      ['./manifest.json', /inside the folder/],
      ['a/./b', /inside the folder/],
      ['a/../manifest.json', /inside the folder/],
      ['a//b', /inside the folder/],
      ['/manifest.json', /inside the folder/],
      ['a\\b', /inside the folder/],
      ['mani\u017fest.json', /inside the folder/],
    ])('a digest of a file that is missing, changed or in place of another: %s', async (name, reason) => {
      const { digests } = await write();
      await write({ digests: { ...digests, [name]: ZEROS } });
      await expect(add()).rejects.toThrow(reason);
    });

    test.each([
      ['manifest.json', undefined, /golden: manifest\.json/],
      ['MODEL.json', undefined, /golden: MODEL\.json/],
      ['golden.json', 'manifest.json', /manifest\.json is there already/],
      ['golden.json', 'golden.json', /golden\.json is there already/],
    ])('a golden pair %s with the picture %s', async (golden, picture, reason) => {
      await write({ golden });
      const pair = JSON.stringify({ picture, embedding: [1], tolerance: 1 });
      if (picture !== undefined) await writeFile(join(folder, golden), pair);
      await expect(add()).rejects.toThrow(reason);
    });

    test('a format that nothing here runs, before its files are read', async () => {
      const manifest = await write({ format: 'tf-saved-model' });
      await rm(join(folder, manifest.file));
      const reason = isInstalled('tensorflow') ? 'there is no file model.json' : 'needs the native backend';
      await expect(add()).rejects.toThrow(reason);
    });

    test('a model larger than the limit, or not loaded within the time limit', async () => {
      await write();
      const reason = 'model.json is larger than the 300 bytes that are still allowed';
      await expect(add(folder, { bytesMax: 300 })).rejects.toThrow(reason);
      const late = add(folder, { inference: { ...POOL, loadTimeoutMs: 1 } });
      await expect(late).rejects.toThrow('it does not load within 1 ms');
    });

    test.each([
      ['nowhere', 'it is neither a folder, nor an archive'],
      ['ftp://example.org/model/', 'must begin with http:// or https://'],
      [
        'https://me:secret@example.org/a/',
        'https://example.org/a/ is refused: an address with a name or password',
      ],
    ])('a place where there is nothing: %s', async (place, reason) => {
      await expect(add(place)).rejects.toThrow(reason);
    });
  });
});

describe('models add of an archive', () => {
  const archive = async (name: string, entries: readonly TarEntry[]): Promise<string> => {
    const bytes = await tarOf(entries);
    await writeFile(join(root, name), name.endsWith('.tar') ? bytes : gzipSync(bytes));
    return join(root, name);
  };

  const entriesOf = async (below = ''): Promise<TarEntry[]> =>
    Promise.all(
      filesOf(await write()).map(async (name) => ({
        name: `${below}${name}`,
        body: await readFile(join(folder, name)),
      })),
    );

  test.each<[string, string, string[]]>([
    ['model.tar', '', []],
    ['model.tar.gz', './', []],
    ['model.tgz', 'tiny-1.0.0/', ['README.md']],
    ['model.tar', '', ['notes/README.md']],
  ])('%s with its files below "%s" is installed, whatever lies beside: %j', async (name, below, beside) => {
    const others = beside.map((other) => ({ name: other, body: 'not part of the model' }));
    const path = await archive(name, [...others, ...(await entriesOf(below))]);
    await expect(add(path, { sha256: ZEROS })).rejects.toThrow(/it has SHA-256 .*, not 000/);
    expect(await add(path, { sha256: await sha256Of(path) })).toMatchObject({ isNew: true });
    expect(await libraryNames(dataDir)).toEqual(ADDED);
  });

  test.each<[string, TarEntry, string]>([
    ['a path that leads out', { name: '../../escaped' }, '../../escaped is left out: a path that leaves'],
    ['a symbolic link', { name: 'a', type: 'symlink', linkname: '/etc' }, 'a is left out: a symbolic link'],
    // contract 14.14
    ['one file twice', { name: './model.json' }, 'model.json is left out: cannot be unpacked (EEXIST)'],
    ['too many bytes', { name: 'zeros', body: Buffer.alloc(2 ** 21) }, 'more bytes than are taken'],
  ])('with %s is refused', async (_case, entry, reason) => {
    const path = await archive('model.tar.gz', [entry, ...(await entriesOf())]);
    await expect(add(path)).rejects.toThrow(reason);
    expect(await libraryNames(dataDir)).toEqual(NOTHING);
    expect((await readdir(root)).sort()).toEqual(['data', 'model.tar.gz', 'source']);
  });

  test('that is not one, is cut off, or holds no model is refused', async () => {
    const path = join(root, 'model.tar');
    const whole = await readFile(await archive('whole.tar', await entriesOf()));
    for (const bytes of [Buffer.from('no archive'.repeat(200)), whole.subarray(0, 900)]) {
      await writeFile(path, bytes);
      await expect(add(path)).rejects.toThrow('it is no tar archive, or it is damaged');
    }
    await archive('model.tar', [{ name: 'readme.txt', body: 'x' }]);
    await expect(add(path)).rejects.toThrow('there is no file manifest.json');
    expect(await libraryNames(dataDir)).toEqual(NOTHING);
  });
});
