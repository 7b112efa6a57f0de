import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddingVersion, ModelManifest } from '../../models/vision/embedding-model';
import { checkModel, PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { readManifest } from '../../workers/embedder/model-folder';
import { silent } from '../support/log-sink';
import { temporaryFolder } from '../support/temporary-folder';
import {
  colouredJpeg,
  meanColour,
  type TinyModel,
  throwsOnBright,
  tinyManifest,
  writeGraphModel,
  writeModel,
} from './tiny-models';

const pool = {
  threads: 1,
  backend: 'wasm',
  waitingMax: 100,
  batchTimeoutMs: 30_000,
  logger: silent,
} as const;
const MODELS = join(__dirname, '../../workers/embedder');

const versionOf = (manifest: ModelManifest): EmbeddingVersion => ({
  id: 1,
  model: `${manifest.id}@${manifest.version}`,
  manifest,
  state: 'live',
  createdAt: new Date(0),
  adaptation: null,
  promotedAt: null,
});

const rounded = (vector: Float32Array | undefined) =>
  Array.from(vector ?? [], (value) => Number(value.toFixed(2)) + 0);

const folders = new Map<string, string>();
const maps = new Map<number, Float32Array>();
const registry = new PooledEmbedderRegistry({
  ...pool,
  folderOf: ({ id }) => folders.get(id) ?? null,
  mapOf: async (id) => maps.get(id) ?? null,
});

/** Installs a model under an id of its own. */
async function install(id: string, model: TinyModel, change: Partial<ModelManifest> = {}) {
  const folder = temporaryFolder();
  folders.set(id, folder);
  const manifest = await writeModel(folder, model, { ...change, id });
  return { folder, manifest, load: () => registry.forVersion(versionOf(manifest)) };
}

afterAll(() => registry.close());

describe('an embedder', () => {
  test('gives one unit vector per view and picture, in their order', async () => {
    const halves = [
      [0, 0, 0.5, 1],
      [0.5, 0, 0.5, 1],
    ] as const;
    const { load } = await install('halves', meanColour, {
      views: { catalog: [[0, 0, 1, 1]], query: halves },
    });
    const embedder = await load();
    const jpegs = [await colouredJpeg(['#f00', '#00f']), await colouredJpeg(['#0f0', '#f00'])];

    const queries = await embedder.embed(jpegs, 'query');
    // Left and right are embedded apart; where they meet, a little of one colour is mixed into the other.
    expect(
      queries.map((views) =>
        views.map(([red = 0, green = 0, blue = 0]) => [red, green, blue].map(Math.round)),
      ),
    ).toEqual([
      [
        [1, 0, 0],
        [0, 0, 1],
      ],
      [
        [0, 1, 0],
        [1, 0, 0],
      ],
    ]);
    const [whole] = await embedder.embed(jpegs, 'catalog');
    expect(whole?.map(rounded)).toEqual([[0.71, 0, 0.71]]);
  });

  test('passes the vectors of an adapted version through its map, and those of its model not (contract 14.20)', async () => {
    const { manifest, load } = await install('mapped', meanColour);
    const version: EmbeddingVersion = {
      ...versionOf(manifest),
      id: 7,
      model: 'mapped@1.0.0+adapted-1',
      adaptation: { from: 1, products: 30, pictures: 60, shrinkage: 2, power: 0.5 },
    };
    const jpegs = [await colouredJpeg(['#ff0'])];
    await expect(registry.forVersion(version)).rejects.toThrow(/mapped@1.0.0\+adapted-1.*its map is gone/);
    maps.set(7, Float32Array.from([3, 0, 0, 0, 4, 0, 0, 0, 1]));
    const [views] = await (await registry.forVersion(version)).embed(jpegs, 'catalog');
    expect(views?.map(rounded)).toEqual([[0.6, 0.8, 0]]);
    const [plain] = await (await load()).embed(jpegs, 'catalog');
    expect(plain?.map(rounded)).toEqual([[0.71, 0.71, 0]]);
  });

  test('fits a picture into the input on the background of the model', async () => {
    const input = { ...tinyManifest(3).input, background: [0, 255, 0] as const };
    const { load } = await install('letterbox', meanColour, { input });
    const [views] = await (await load()).embed([await colouredJpeg(['#f00'], 64, 32)], 'query');
    // Red fills half of the square.
    expect(views?.map(rounded)).toEqual([[0.71, 0.71, 0]]);
  });

  test('refuses a picture that can not be decoded', async () => {
    const embedder = await (await install('broken', meanColour)).load();
    const whole = await colouredJpeg(['#f00'], 200, 200);
    await expect(embedder.embed([whole.subarray(0, 500)], 'query')).rejects.toMatchObject({
      code: 'unprocessable',
      extras: { reason: 'image_undecodable' },
    });
  });

  test('fails for the picture that has no direction, and for that one alone', async () => {
    const embedder = await (await install('black', meanColour)).load();
    const jpegs = await Promise.all(['#000', '#f00', '#0f0'].map((colour) => colouredJpeg([colour])));
    const [black, ...others] = await Promise.allSettled(jpegs.map((jpeg) => embedder.embed([jpeg], 'query')));
    expect(black).toMatchObject({ status: 'rejected', reason: { name: 'PictureFailed' } });
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  test('replaces an engine that a picture crashes, and answers the pictures that were with it', async () => {
    const embedder = await (await install('fragile', throwsOnBright)).load();
    const before = registry.stats()?.replaced ?? 0;
    const jpegs = await Promise.all(['#333', '#fff', '#444', '#555'].map((colour) => colouredJpeg([colour])));
    const outcomes = await Promise.allSettled(jpegs.map((jpeg) => embedder.embed([jpeg], 'query')));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({
      reason: { name: 'PictureFailed', message: 'the inference failed twice' },
    });
    expect(registry.stats()?.replaced).toBeGreaterThan(before);
  });
});

describe('a graph model', () => {
  test('is embedded with by the input and the output that its manifest names', async () => {
    const folder = temporaryFolder();
    folders.set('graph', folder);
    const manifest = await writeGraphModel(folder, {
      id: 'graph',
      input: { ...tinyManifest(3).input, name: 'image' },
      output: { name: 'mean', dimensions: 3 },
    });
    const embedder = await registry.forVersion(versionOf(manifest));
    const [views] = await embedder.embed([await colouredJpeg(['#f00'])], 'query');
    expect(views?.map(rounded)).toEqual([[1, 0, 0]]);
  });
});

describe.each(['bundled', 'bundled-earlier'])('the model in %s', (name) => {
  test('gives its golden vector here, whatever view of it is asked for', async () => {
    const folder = join(MODELS, name);
    const manifest = await readManifest(folder);
    folders.set(manifest.id, folder);
    const embedder = await registry.forVersion(versionOf(manifest));
    const [views] = await embedder.embed([await colouredJpeg(['#f00', '#00f'], 300, 200)], 'query');
    expect(views?.map((vector) => vector.length)).toEqual(
      manifest.views.query.map(() => manifest.output.dimensions),
    );
    for (const vector of views ?? []) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });
});

describe('a model is refused with the reason', () => {
  test('when a file is not the one that its maker published', async () => {
    const { folder, load } = await install('tampered', meanColour);
    await writeFile(join(folder, 'weights-1.bin'), 'other weights');
    await expect(load()).rejects.toThrow(/weights-1\.bin has SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}/);
  });

  test('when it gives values that are not finite', async () => {
    const broken = {
      ...meanColour,
      weights: [{ name: 'dense/kernel', shape: [3, 3], values: Array(9).fill(Number.NaN) }],
    };
    await expect((await install('infinite', broken)).load()).rejects.toThrow('values that are not finite');
  });

  test('when it gives every picture the same vector', async () => {
    const blind = {
      ...meanColour,
      weights: [{ name: 'dense/kernel', shape: [3, 3], values: Array(9).fill(0) }],
    };
    await expect((await install('blind', blind)).load()).rejects.toThrow('give the same values');
  });

  test('when the weights are not those of the model', async () => {
    const short = {
      ...meanColour,
      weights: [{ name: 'dense/kernel', shape: [2, 3], values: Array(6).fill(1) }],
    };
    await expect((await install('short', short)).load()).rejects.toThrow('it does not load as tfjs-layers');
  });

  test('when it names a file that has no digest', async () => {
    const { folder, manifest } = await install('undigested', meanColour);
    const { 'weights-2.bin': _left, ...digests } = manifest.digests;
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, digests }));
    await expect(checkModel(folder, pool)).rejects.toThrow('weights-2.bin, which has no digest');
  });

  test('when it is not installed here', async () => {
    const absent = versionOf({ ...tinyManifest(3), id: 'absent' });
    await expect(registry.forVersion(absent)).rejects.toThrow(
      'The model absent@1.0.0 is refused: it is not installed',
    );
  });
});
