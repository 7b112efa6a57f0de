import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../workers/embedder/model-folder';
import { addModel } from '../../workers/library/add-model';
import { openMigrated } from '../support/database';
import { killCommand, runLoupeHere } from '../support/run-loupe';
import { tarOf } from '../support/tar-archive';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, writeModel } from '../workers/tiny-models';
import * as fixture from './library-fixture';

let root = '';
let server: fixture.FileServer;
let dataDir = '';
/** No cut before this: the manifest and three small files come first, in one piece each. */
const SMALL_FILES = [9e9, 9e9, 9e9, 9e9];

const BREAKING = { cuts: [...SMALL_FILES, ...Array<number>(7).fill(1000)] };

/** Size of a file that is only there to be downloaded. */
const BALLAST = 400_000;

beforeEach(async () => {
  root = temporaryFolder();
  dataDir = join(root, 'data');
  server = await fixture.FileServer.start();
  await publish();
});
afterEach(() => server.close());

async function publish(): Promise<void> {
  const folder = join(root, 'source');
  const { digests } = await writeModel(folder, meanColour);
  const ballast = join(folder, 'ballast.bin');
  await writeFile(ballast, randomBytes(BALLAST));
  const all = { ...digests, 'ballast.bin': await sha256Of(ballast) };
  const manifest = await writeModel(folder, meanColour, { digests: all });
  for (const name of fixture.filesOf(manifest))
    server.files.set(`m/${name}`, await readFile(join(folder, name)));
}

const add = (path = 'm/manifest.json', change: Partial<ReturnType<typeof fixture.addOptions>> = {}) =>
  addModel(server.url(path), { ...fixture.addOptions(dataDir), ...change });

test('an archive at an address is installed', async () => {
  const entries = [...server.files].map(([name, body]) => ({ name: name.slice(2), body }));
  server.files.set('m.tar', await tarOf(entries));
  server.faults = { cuts: [300_000] };
  expect(await add('m.tar')).toMatchObject({ isNew: true });
  expect(await fixture.libraryNames(dataDir)).toEqual(fixture.ADDED);
});

test('a broken connection is resumed where it broke: every byte is sent once', async () => {
  server.faults = { cuts: [...SMALL_FILES, 100_000, 150_000] };
  expect(await add()).toMatchObject({ isNew: true });
  expect(await fixture.libraryNames(dataDir)).toEqual(fixture.ADDED);
  const ballast = server.served.filter(([path]) => path === 'm/ballast.bin');
  expect(ballast.map(([, bytes]) => bytes)).toEqual([100_000, 150_000, BALLAST - 250_000]);
});

test('a command that is killed leaves nothing in the library, and the next one installs the model', async () => {
  const close = await openMigrated(dataDir);
  server.faults = { hangsAfter: 260_000 };
  const first = ['models', 'add', server.url('m/manifest.json')];
  const isHanging = () => server.hanging().then(() => true);
  expect(await killCommand({ DATA_DIR: dataDir }, first, isHanging)).toBe(true);
  expect((await fixture.libraryNames(dataDir)).models).toEqual([]);
  server.faults = {};
  const words = ['models', 'add', server.url('m/'), '--json'];
  const { code, stdout, stderr } = await runLoupeHere(words, { DATA_DIR: dataDir });
  expect([code, stderr]).toEqual([0, expect.stringContaining('ballast.bin')]);
  expect(JSON.parse(stdout)).toMatchObject({ model: 'tiny@1.0.0', added: true, calibrated: true });
  await close();
  expect(await fixture.libraryNames(dataDir)).toEqual(fixture.ADDED);
});

const TOO_LARGE = /ballast\.bin is larger than the \d+ bytes that are still allowed/;
test.each<[what: string, fixture.Faults, change: Parameters<typeof add>[1], reason: RegExp]>([
  [
    'whose host never stops',
    { hangsAfter: 100_000 },
    { downloadTimeoutMs: 500 },
    /downloaded: it takes longer/,
  ],
  ['whose connection breaks again and again', BREAKING, {}, /cannot be downloaded: .* try again/],
  ['that is larger than is taken, and says so', {}, { bytesMax: 100_000 }, TOO_LARGE],
  ['that is larger and does not say so', { noLength: true }, { bytesMax: 100_000 }, TOO_LARGE],
])('a file %s is given up, with the reason', async (_what, faults, change, reason) => {
  server.faults = faults;
  await expect(add(undefined, change)).rejects.toThrow(reason);
  expect(await fixture.libraryNames(dataDir)).toEqual(fixture.NOTHING);
});

test('a file that does not match the manifest is refused', async () => {
  server.files.set('m/ballast.bin', randomBytes(BALLAST));
  await expect(add()).rejects.toThrow(/ballast\.bin has SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}/);
  expect(await fixture.libraryNames(dataDir)).toEqual(fixture.NOTHING);
});

test('an address without the file is refused at once; redirects are followed a few times, over http only', async () => {
  const nowhere = '/none/manifest.json does not exist: is the address right?';
  await expect(add('none/manifest.json')).rejects.toThrow(nowhere);
  server.redirects.set('moved/manifest.json', '/m/manifest.json');
  server.redirects.set('round/manifest.json', '/round/manifest.json');
  for (const hop of [0, 1, 2, 3, 4, 5, 6]) server.redirects.set(`far/${hop}`, `/far/${hop + 1}`);
  server.redirects.set('away/manifest.json', 'ftp://127.0.0.1/manifest.json');
  await expect(add('far/0')).rejects.toThrow('redirects too often');
  for (const path of ['round/manifest.json', 'away/manifest.json'])
    await expect(add(path)).rejects.toThrow(`/${path} redirects to where nothing can be fetched`);
  // Files lie beside the address that was named.
  await expect(add('moved/manifest.json')).rejects.toThrow('/moved/model.json does not exist');
  expect((await fixture.libraryNames(dataDir)).models).toEqual([]);
});
