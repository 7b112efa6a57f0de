import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DURABLE_FILES } from '../../db/files/durable-files';
import { readManifest } from '../../workers/embedder/model-folder';
import { addModel } from '../../workers/library/add-model';
import { type ManifestOptions, writeManifest } from '../../workers/library/write-manifest';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, writeModel, writeOnnxModel } from '../workers/tiny-models';
import { addOptions } from './library-fixture';

let folder = '';
beforeEach(() => {
  folder = join(temporaryFolder(), 'source');
});

const write = (change: Partial<ManifestOptions> = {}, file = 'model.json') =>
  writeManifest(
    join(folder, file),
    {
      ...{ id: 'strange', version: '2.0.0', licence: 'MIT', dimensions: 3, size: 8, values: 'imagenet' },
      ...{ views: 'whole', fit: 'contain', kernel: 'cubic', layout: null, input: null, output: null },
      replace: false,
      ...change,
    },
    DURABLE_FILES,
  );

test('a manifest that is written for a TensorFlow.js model is all that models add needs', async () => {
  const { digests } = await writeModel(folder, meanColour);
  await rm(join(folder, 'manifest.json'));
  await write();
  const { model } = await addModel(folder, addOptions(join(folder, '../data')));
  expect(model.manifest).toMatchObject({
    ...{ id: 'strange', version: '2.0.0', format: 'tfjs-layers', digests, calibration: null },
    input: { kernel: 'cubic' },
  });
});

test('an ONNX model has its channels first, and its weights may lie in a file beside it', async () => {
  const { digests } = await writeOnnxModel(folder, { shape: ['rows', 3, 8, 8], kernel: [[1], [2], [3]] });
  await rm(join(folder, 'manifest.json'));
  await writeFile(join(folder, 'model.onnx_data'), 'weights');
  await writeFile(join(folder, 'readme.txt'), 'no part of the model');
  await write({}, 'model.onnx');
  const manifest = await readManifest(folder);
  expect(manifest).toMatchObject({ format: 'onnx', input: { layout: 'nchw' }, digests });
  expect(Object.keys(manifest.digests)).toEqual(['model.onnx', 'model.onnx_data']);
});

test.each([
  ['0..255', 255, [255, 255, 255]],
  ['0..1', 255, [1, 1, 1]],
  ['-1..1', 0, [-1, -1, -1]],
  // (1 - 0.485) / 0.229 and so on, as torchvision has it.
  ['imagenet', 255, [2.2489, 2.4286, 2.64]],
  // (1 - 0.48145466) / 0.26862954 and so on, as CLIP has it.
  ['clip', 255, [1.9303, 2.0749, 2.1459]],
])('pixels become what the network was trained with: %s', async (values, pixel, expected) => {
  await writeModel(folder, meanColour);
  await write({ values, replace: true });
  const { mean, scale } = (await readManifest(folder)).input;
  const found = mean.map((each, channel) => (pixel - each) * (scale[channel] ?? 0));
  expect(found).toEqual(expected.map((value) => expect.closeTo(value, 4)));
});

test('an existing manifest is not overwritten, and an invalid one is not left behind', async () => {
  await writeModel(folder, meanColour);
  const path = join(folder, 'manifest.json');
  const before = await readFile(path);
  await expect(write()).rejects.toThrow('is there already');
  expect(await readFile(path)).toEqual(before);
  await rm(path);
  await expect(write({ id: 'No Id' })).rejects.toThrow('id: must be');
  await expect(write({}, 'weights-1.bin')).rejects.toThrow('it is neither an .onnx file');
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});

test('a manifest is overwritten on request, and restored when the new one is invalid', async () => {
  await writeModel(folder, meanColour);
  await write({ version: '1.9.0', replace: true });
  const path = await write({ replace: true });
  const second = await readFile(path, 'utf8');
  expect(JSON.parse(second)).toMatchObject({ version: '2.0.0' });
  await expect(write({ id: 'No Id', replace: true })).rejects.toThrow('id: must be');
  expect(await readFile(path, 'utf8')).toBe(second);
  expect(await readdir(folder)).not.toContain('manifest.json.previous');
});
