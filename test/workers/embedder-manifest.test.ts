import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from '../../workers/embedder/model-folder';
import { temporaryFolder } from '../support/temporary-folder';
import { tinyManifest } from './tiny-models';

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
