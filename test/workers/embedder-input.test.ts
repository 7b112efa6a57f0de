import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { putInputValues } from '../../workers/embedder/loaded-model';
import { readManifest } from '../../workers/embedder/model-folder';
import { renderViews } from '../../workers/embedder/render-views';
import { temporaryFolder } from '../support/temporary-folder';
import { tinyManifest } from './tiny-models';

test('the values of a bgr model begin with blue, mean and scale in the order of the model', () => {
  const order = { channels: 'bgr', mean: [10, 20, 30], scale: [1, 2, 0.5] } as const;
  const values = new Float32Array(3);
  putInputValues(
    { ...tinyManifest(3).input, width: 1, height: 1, ...order },
    Uint8Array.of(11, 22, 33),
    values,
  );
  expect([...values]).toEqual([23, 4, -9.5]);
});

describe('a manifest', () => {
  const manifest = tinyManifest(3);
  const folder = temporaryFolder();
  const read = async (document: object | string) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    await writeFile(join(folder, 'manifest.json'), text);
    return readManifest(folder);
  };
  const logistic = { kind: 'logistic', bias: -3.6, weights: { similarity: 1, viewLead: 9 } };
  const earlier = { confidence: logistic, taxonomy: logistic, floor: 0.75 };

  const whole = [0, 0, 1, 1];
  const certain = { similarity: 0.8, margin: 0.1 };
  const steps = { views: { catalog: [whole], query: [whole, whole] }, certain };

  // contract 7.9
  test.each([
    ['is read as it was written', {}, manifest.calibration],
    ['may leave the calibration out', { calibration: undefined }, null],
    ['with a calibration of the earlier form counts as one without', { calibration: earlier }, null],
    ['may say when the first of several query views is enough', steps, manifest.calibration],
  ])('%s', async (_what, change, calibration) => {
    expect(await read({ ...manifest, ...change })).toEqual({ ...manifest, ...change, calibration });
  });

  test.each([
    ['a path that leaves the folder', { file: '../model.json' }, 'file: must be a path inside the folder'],
    ['an absolute path', { file: '/model.json' }, 'file: must be a path inside the folder'],
    ['a file without a digest', { file: 'constructor' }, 'digests: must have an entry for the model file'],
    ['a digest that is none', { digests: { 'model.json': 'abc' } }, 'digests.model.json: must be a SHA-256'],
    ['an unknown format', { format: 'keras' }, 'format: '],
    ['no views', { views: { catalog: [], query: [whole] } }, 'views.catalog: '],
    [
      'a view beyond the picture',
      { views: { catalog: [whole], query: [[0.5, 0, 0.6, 1]] } },
      'views.query.0: must be [left, top, width, height] within the picture',
    ],
    ['certainty of an only view', { certain }, 'certain: needs a second query view'],
    ['certainty beyond 1', { certain: { ...certain, similarity: 1.1 } }, 'certain.similarity: '],
    ['a ratio beyond 1', { certain: { ...certain, ratio: 1.1 } }, 'certain.ratio: '],
    ['a scale of 0', { input: { ...manifest.input, scale: [1, 0, 1] } }, 'input.scale: must not be 0'],
    ['a calibration without a weight', { calibration: { confidence: { kind: 'choice' } } }, 'calibration: '],
    ['more dimensions than an index holds', { output: { dimensions: 4001 } }, 'output.dimensions: '],
    ['several faults, all told at once,', { id: 'No Id', licence: '' }, /id: .*; licence: /],
  ])('with %s is refused', async (_case, change, reason) => {
    await expect(read({ ...manifest, ...change })).rejects.toThrow(reason);
  });

  test('that is missing or is not JSON is refused', async () => {
    await expect(readManifest(join(folder, 'nowhere'))).rejects.toThrow('no manifest.json that can be read');
    await expect(read('{')).rejects.toThrow('manifest.json is no JSON');
  });
});

describe('a picture is resampled by the kernel of its model', () => {
  const [DARK, LIGHT] = [64, 192];
  const side = { width: 31, height: 31 };

  /** The darkest and lightest value of a view of a picture whose left half is dark grey, and right half light grey. */
  const extremes = async (view: readonly [number, number, number, number], change: object) => {
    const grey = (value: number) => ({ r: value, g: value, b: value });
    const edge = sharp({ create: { width: 48, height: 96, channels: 3, background: grey(DARK) } });
    const picture = await edge
      .extend({ right: 48, background: grey(LIGHT) })
      .png()
      .toBuffer();
    const input = { ...tinyManifest(3).input, ...side, ...change };
    const [pixels = new Uint8Array()] = await renderViews(picture, [view], input);
    expect(pixels).toHaveLength(31 * 31 * 3);
    return [Math.min(...pixels), Math.max(...pixels)];
  };

  test.each([
    ['the whole', [0, 0, 1, 1]],
    ['a crop', [0.05, 0.05, 0.9, 0.9]],
  ] as const)('%s', async (_what, view) => {
    // A linear kernel stays between the two greys; sharper ones overshoot at the edge.
    expect(await extremes(view, { kernel: 'linear' })).toEqual([DARK, LIGHT]);
    const [low = DARK, high = LIGHT] = await extremes(view, { kernel: 'lanczos3' });
    expect([low < DARK, high > LIGHT]).toEqual([true, true]);
    const [softer = 0] = await extremes(view, { kernel: 'mitchell' });
    expect(softer).toBeGreaterThan(low);
    expect(await extremes(view, {})).toEqual([low, high]);
  });
});

test.each([
  [62, 62],
  [62, 47],
  [41, 62],
])('a crop of a picture of %d x %d that fills the input is what sharp makes of it', async (width, height) => {
  const pixels = Buffer.from(Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 97) % 256));
  const size = { width: 31, height: 31, fit: 'contain', background: [250, 128, 3] } as const;
  const input = { ...tinyManifest(3).input, ...size };
  const half = [0.25, 0.25, 0.5, 0.5] as const;
  const [, crop] = await renderViews({ pixels, width, height }, [[0, 0, 1, 1], half], input);
  const part = { width: Math.round(width / 2), height: Math.round(height / 2) };
  const place = { left: Math.round(width / 4), top: Math.round(height / 4), ...part };
  const made = sharp(pixels, { raw: { width, height, channels: 3 } })
    .extract(place)
    .resize({ ...size, background: { r: 250, g: 128, b: 3 } });
  expect(Buffer.from(crop ?? []).equals(await made.raw().toBuffer())).toBe(true);
});
