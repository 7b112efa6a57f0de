import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddingVersion, ModelManifest } from '../../models/vision/embedding-model';
import { checkModel, PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { readManifest } from '../../workers/embedder/model-folder';
import { temporaryFolder } from '../support/temporary-folder';
import * as tiny from './tiny-models';

const versionOf = (manifest: ModelManifest): EmbeddingVersion => ({
  ...{ id: 1, model: `${manifest.id}@${manifest.version}`, manifest, state: 'live' },
  ...{ createdAt: new Date(0), adaptation: null, promotedAt: null },
});

const rounded = (views: readonly Float32Array[]) =>
  views.map((vector) => Array.from(vector, (value) => Number(value.toFixed(2)) + 0));

const folders = new Map<string, string>();
const maps = new Map<number, Float32Array>();
const registry = new PooledEmbedderRegistry({
  ...{ ...tiny.POOL, threads: 2 },
  folderOf: ({ id }) => folders.get(id) ?? null,
  mapOf: async (id) => maps.get(id) ?? null,
});
afterAll(() => registry.close());

async function install(
  id: string,
  model: tiny.TinyModel = tiny.meanColour,
  change: Partial<ModelManifest> = {},
) {
  const folder = temporaryFolder();
  folders.set(id, folder);
  const manifest = await tiny.writeModel(folder, model, { ...change, id });
  return { folder, manifest, load: () => registry.forVersion(versionOf(manifest)) };
}

/** The model in a folder of the repository. */
async function loaded(path: string) {
  const folder = join(__dirname, path);
  const manifest = await readManifest(folder);
  folders.set(manifest.id, folder);
  return { manifest, embedder: await registry.forVersion(versionOf(manifest)) };
}

describe('an embedder', () => {
  test('gives one unit vector per view, in their order', async () => {
    const halves = [
      [0, 0, 0.5, 1],
      [0.5, 0, 0.5, 1],
    ] as const;
    const views = { catalog: [[0, 0, 1, 1]], query: halves } as const;
    const embedder = await (await install('halves', tiny.meanColour, { views })).load();
    const jpeg = await tiny.colouredJpeg(['#f00', '#00f']);
    // Left and right are embedded separately; at their border the colours mix a little.
    const found = await embedder.embed(jpeg, 'query');
    expect(found.map((vector) => vector.map(Math.round).join())).toEqual(['1,0,0', '0,0,1']);
    expect(rounded(await embedder.embed(jpeg, 'catalog'))).toEqual([[0.71, 0, 0.71]]);
    const pixels = await embedder.decode(jpeg);
    const steps = [await embedder.embed(pixels, 'query', 0, 1), await embedder.embed(pixels, 'query', 1)];
    expect(steps.map(rounded)).toEqual(rounded(found).map((view) => [view]));
    expect(await embedder.embed(pixels, 'query')).toEqual(found);
  });

  test('maps the vectors of an adapted version, but not those of its model (contract 14.20)', async () => {
    const { manifest, load } = await install('mapped');
    const version: EmbeddingVersion = {
      ...{ ...versionOf(manifest), id: 7, model: 'mapped@1.0.0+adapted-1' },
      adaptation: { from: 1, products: 30, pictures: 60, shrinkage: 2, power: 0.5 },
    };
    const jpeg = await tiny.colouredJpeg(['#ff0']);
    await expect(registry.forVersion(version)).rejects.toThrow(/mapped@1.0.0\+adapted-1.*its map is gone/);
    maps.set(7, Float32Array.from([3, 0, 0, 0, 4, 0, 0, 0, 1]));
    const adapted = await registry.forVersion(version);
    expect(rounded(await adapted.embed(jpeg, 'catalog'))).toEqual([[0.6, 0.8, 0]]);
    expect(rounded(await (await load()).embed(jpeg, 'catalog'))).toEqual([[0.71, 0.71, 0]]);
  });

  test('fits a picture into the input on the background of the model', async () => {
    const input = { ...tiny.tinyManifest(3).input, background: [0, 255, 0] as const };
    const embedder = await (await install('letterbox', tiny.meanColour, { input })).load();
    // Red fills half of the square.
    const jpeg = await tiny.colouredJpeg(['#f00'], 64, 32);
    expect(rounded(await embedder.embed(jpeg, 'query'))).toEqual([[0.71, 0.71, 0]]);
  });

  test('refuses a picture that cannot be decoded', async () => {
    const embedder = await (await install('broken')).load();
    const whole = await tiny.colouredJpeg(['#f00'], 200, 200);
    await expect(embedder.embed(whole.subarray(0, 500), 'query')).rejects.toMatchObject({
      code: 'unprocessable',
      extras: { reason: 'image_undecodable' },
    });
  });

  test.each([
    ['that has no direction', tiny.meanColour, '#000', 'the model gives no finite vector for this picture'],
    ['that crashes its engine, which is replaced', tiny.throwsOnBright, '#fff', 'the inference failed twice'],
  ])('fails for the picture %s, and for that one alone', async (what, model, colour, message) => {
    const embedder = await (await install(what.replace(/\W/g, '').toLowerCase(), model)).load();
    const before = registry.stats()?.replaced ?? 0;
    const jpegs = await Promise.all(
      ['#333', colour, '#444', '#555'].map((each) => tiny.colouredJpeg([each])),
    );
    const embedding = jpegs.map((jpeg) => embedder.embed(jpeg, 'query'));
    const [first, failed, ...others] = await Promise.allSettled(embedding);
    expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'PictureFailed', message } });
    expect([first, ...others].map((each) => each?.status)).toEqual(Array(3).fill('fulfilled'));
    expect((registry.stats()?.replaced ?? 0) > before).toBe(model === tiny.throwsOnBright);
  });

  test('of a graph uses the input and the output that its manifest names', async () => {
    // The mean colour of a picture; its second output is the same doubled.
    const { embedder } = await loaded('../fixtures/graph-model');
    expect(rounded(await embedder.embed(await tiny.colouredJpeg(['#f00']), 'query'))).toEqual([[1, 0, 0]]);
  });

  test.each(['bundled', 'bundled-earlier'])('of %s gives its golden vector, and all views', async (name) => {
    const { manifest, embedder } = await loaded(`../../workers/embedder/${name}`);
    const views = await embedder.embed(await tiny.colouredJpeg(['#f00', '#00f'], 300, 200), 'query');
    expect(views).toHaveLength(manifest.views.query.length);
    for (const vector of views) {
      expect(vector).toHaveLength(manifest.output.dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });
});

describe('a model is refused with the reason', () => {
  const filled = (value: number, rows = 3) => tiny.timesMatrix(Array(rows).fill([value, value, value]));

  test.each([
    ['gives values that are not finite', filled(Number.NaN), 'values that are not finite'],
    ['gives every picture the same vector', filled(0), 'give the same values'],
    ['has the weights of another', filled(1, 2), 'it does not load as tfjs-layers'],
  ])('when it %s', async (what, model, reason) => {
    await expect((await install(what.replaceAll(' ', ''), model)).load()).rejects.toThrow(reason);
  });

  test('when it names a file that has no digest', async () => {
    const { folder, manifest } = await install('undigested');
    const { 'weights-2.bin': _left, ...digests } = manifest.digests;
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, digests }));
    await expect(checkModel(folder, tiny.POOL)).rejects.toThrow('weights-2.bin, which has no digest');
  });

  test('when it is not installed here', async () => {
    const absent = versionOf({ ...tiny.tinyManifest(3), id: 'absent' });
    const refusal = 'The model absent@1.0.0 is refused: it is not installed';
    await expect(registry.forVersion(absent)).rejects.toThrow(refusal);
  });
});
