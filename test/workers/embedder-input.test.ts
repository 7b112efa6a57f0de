import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { inputShape, inputValues } from '../../workers/embedder/loaded-model';
import { readManifest } from '../../workers/embedder/model-folder';
import { renderViews } from '../../workers/embedder/render-views';
import { temporaryFolder } from '../support/temporary-folder';
import { tinyManifest } from './tiny-models';

describe('the values a model is given', () => {
  const input = {
    ...tinyManifest(3).input,
    width: 2,
    height: 1,
    mean: [10, 20, 30],
    scale: [1, 2, 0.5],
  } as const;
  // Two pictures of two pixels: red, green, blue each.
  const pixels = Uint8Array.from([11, 22, 33, 14, 25, 36, 10, 20, 30, 0, 0, 0]);

  test('are (pixel - mean) * scale, channels together', () => {
    expect(inputShape(input, 2)).toEqual([2, 1, 2, 3]);
    expect([...inputValues(input, 2, pixels)]).toEqual([1, 4, 1.5, 4, 10, 3, 0, 0, 0, -10, -40, -15]);
  });

  test('are laid out as one plane per channel for nchw', () => {
    const planes = { ...input, layout: 'nchw' } as const;
    expect(inputShape(planes, 2)).toEqual([2, 3, 1, 2]);
    expect([...inputValues(planes, 2, pixels)]).toEqual([1, 4, 4, 10, 1.5, 3, 0, -10, 0, -40, 0, -15]);
  });

  test('begin with blue for bgr, mean and scale in the order of the model', () => {
    const blueFirst = { ...input, channels: 'bgr' } as const;
    expect([...inputValues(blueFirst, 1, pixels.subarray(0, 3))].slice(0, 3)).toEqual([23, 4, -9.5]);
  });
});

describe('a manifest', () => {
  const manifest = tinyManifest(3);
  const folder = temporaryFolder();

  const read = async (document: unknown) => {
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(document));
    return readManifest(folder);
  };

  test('is read as it was written', async () => {
    await expect(read(manifest)).resolves.toEqual(manifest);
  });

  test('may leave the calibration out: nobody has fitted one', async () => {
    const { calibration: _, ...strange } = manifest;
    await expect(read(strange)).resolves.toEqual({ ...manifest, calibration: null });
  });

  // contract 7.9
  test('with a calibration of the earlier form counts as one without', async () => {
    const logistic = { kind: 'logistic', bias: -3.6, weights: { similarity: 1, viewLead: 9 } };
    const earlier = { confidence: logistic, taxonomy: logistic, floor: 0.75 };
    await expect(read({ ...manifest, calibration: earlier })).resolves.toEqual({
      ...manifest,
      calibration: null,
    });
  });

  test.each([
    ['a path that leaves the folder', { file: '../model.json' }, 'file: must be a path inside the folder'],
    ['an absolute path', { file: '/model.json' }, 'file: must be a path inside the folder'],
    [
      'a model file without a digest',
      { file: 'other.json' },
      'digests: must have an entry for the model file',
    ],
    ['a digest that is none', { digests: { 'model.json': 'abc' } }, 'digests.model.json: must be a SHA-256'],
    ['an unknown format', { format: 'keras' }, 'format: '],
    ['no views', { views: { catalog: [], query: [[0, 0, 1, 1]] } }, 'views.catalog: '],
    [
      'a view beyond the picture',
      { views: { catalog: [[0, 0, 1, 1]], query: [[0.5, 0, 0.6, 1]] } },
      'views.query.0: must be [left, top, width, height] within the picture',
    ],
    ['a scale of 0', { input: { ...manifest.input, scale: [1, 0, 1] } }, 'input.scale: must not be 0'],
    [
      'a calibration without a weight',
      { calibration: { ...manifest.calibration, confidence: { kind: 'choice' } } },
      'calibration: ',
    ],
    ['more dimensions than an index holds', { output: { dimensions: 4001 } }, 'output.dimensions: '],
  ])('with %s is refused', async (_case, change, reason) => {
    await expect(read({ ...manifest, ...change })).rejects.toThrow(reason);
  });

  test('is told all its faults at once', async () => {
    const faulty = { ...manifest, id: 'No Id', licence: '' };
    await expect(read(faulty)).rejects.toThrow(/id: .*; licence: /);
  });

  test('that is missing or no JSON is refused', async () => {
    await expect(readManifest(join(folder, 'nowhere'))).rejects.toThrow('no manifest.json that can be read');
    await writeFile(join(folder, 'manifest.json'), '{');
    await expect(readManifest(folder)).rejects.toThrow('manifest.json is no JSON');
  });
});

/** Left half dark grey, right half light grey, without loss. */
const DARK = 64;
const LIGHT = 192;
const SIDE = 96;
const INSET = [0.05, 0.05, 0.9, 0.9] as const;

async function edge(): Promise<Buffer> {
  const pixels = Buffer.alloc(SIDE * SIDE * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = Math.floor(at / 3) % SIDE < SIDE / 2 ? DARK : LIGHT;
  }
  return sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
}

describe('a picture is resampled by the kernel of its model', () => {
  const input = { ...tinyManifest(3).input, width: 31, height: 31 };
  const extremes = async (
    kernel: 'linear' | 'mitchell' | 'cubic' | 'lanczos3' | undefined,
    view: readonly [number, number, number, number],
  ) => {
    const [pixels = new Uint8Array()] = await renderViews(await edge(), [view], {
      ...input,
      ...(kernel ? { kernel } : {}),
    });
    expect(pixels).toHaveLength(31 * 31 * 3);
    return [Math.min(...pixels), Math.max(...pixels)];
  };

  test.each([
    ['the whole', [0, 0, 1, 1]],
    ['a crop', INSET],
  ] as const)('%s', async (_what, view) => {
    // A linear kernel stays between the two greys; sharper ones overshoot at the edge.
    expect(await extremes('linear', view)).toEqual([DARK, LIGHT]);
    const [low = DARK, high = LIGHT] = await extremes('lanczos3', view);
    expect(low).toBeLessThan(DARK);
    expect(high).toBeGreaterThan(LIGHT);
    const [softer = 0] = await extremes('mitchell', view);
    expect(softer).toBeGreaterThan(low);
    expect(await extremes(undefined, view)).toEqual([low, high]);
  });
});
