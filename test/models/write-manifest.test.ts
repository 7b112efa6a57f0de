import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DURABLE_FILES } from '../../db/files/durable-files';
import { readManifest } from '../../workers/embedder/model-folder';
import { addModel } from '../../workers/library/add-model';
import { type ManifestWishes, writeManifest } from '../../workers/library/write-manifest';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, writeModel, writeOnnxModel } from '../workers/tiny-models';
import { addOptions } from './library-fixture';

let root = '';
let folder = '';

beforeEach(() => {
  root = temporaryFolder();
  folder = join(root, 'source');
});

const wishes: ManifestWishes = {
  id: 'strange',
  version: '2.0.0',
  licence: 'MIT',
  dimensions: 3,
  size: 8,
  values: 'imagenet',
  views: 'whole',
  fit: 'contain',
  kernel: 'cubic',
  layout: null,
  input: null,
  output: null,
  replace: false,
};

test('a manifest that is written for a TensorFlow.js model is all that models add needs', async () => {
  const { digests } = await writeModel(folder, meanColour);
  await rm(join(folder, 'manifest.json'));
  await writeManifest(join(folder, 'model.json'), wishes, DURABLE_FILES);
  const { model } = await addModel(folder, addOptions(join(root, 'data')));
  expect(model.manifest).toMatchObject({ id: 'strange', version: '2.0.0', format: 'tfjs-layers', digests });
  expect(model.manifest.input.kernel).toBe('cubic');
  expect(model.manifest.calibration).toBeNull();
});

test('an ONNX model has its channels first, and its weights may lie in a file beside it', async () => {
  const { digests } = await writeOnnxModel(folder, { shape: ['rows', 3, 8, 8], kernel: [[1], [2], [3]] });
  await rm(join(folder, 'manifest.json'));
  await writeFile(join(folder, 'model.onnx_data'), 'weights');
  await writeFile(join(folder, 'readme.txt'), 'no part of the model');
  await writeManifest(join(folder, 'model.onnx'), wishes, DURABLE_FILES);
  const manifest = await readManifest(folder);
  expect(manifest).toMatchObject({ format: 'onnx', input: { layout: 'nchw' }, digests });
  expect(Object.keys(manifest.digests)).toEqual(['model.onnx', 'model.onnx_data']);
});

test('pixels become what the network was trained with', async () => {
  await writeModel(folder, meanColour);
  const valuesAt = async (values: string, pixel: number) => {
    await rm(join(folder, 'manifest.json'));
    await writeManifest(join(folder, 'model.json'), { ...wishes, values }, DURABLE_FILES);
    const { mean, scale } = (await readManifest(folder)).input;
    return mean.map((each, channel) => (pixel - each) * (scale[channel] ?? 0));
  };
  expect(await valuesAt('0..255', 255)).toEqual([255, 255, 255]);
  expect(await valuesAt('0..1', 255)).toEqual([1, 1, 1]);
  expect(await valuesAt('-1..1', 0)).toEqual([-1, -1, -1]);
  // (1 - 0.485) / 0.229 and so on, as torchvision has it.
  for (const [channel, value] of [2.2489, 2.4286, 2.64].entries()) {
    expect((await valuesAt('imagenet', 255))[channel]).toBeCloseTo(value, 4);
  }
  // (1 - 0.48145466) / 0.26862954 and so on, as CLIP has it.
  for (const [channel, value] of [1.9303, 2.0749, 2.1459].entries()) {
    expect((await valuesAt('clip', 255))[channel]).toBeCloseTo(value, 4);
  }
});

test('a manifest that is there is not written over, and one that would be wrong is not left', async () => {
  await writeModel(folder, meanColour);
  const path = join(folder, 'manifest.json');
  const before = await readFile(path);
  await expect(writeManifest(join(folder, 'model.json'), wishes, DURABLE_FILES)).rejects.toThrow(
    'is there already',
  );
  expect(await readFile(path)).toEqual(before);
  await rm(path);
  await expect(
    writeManifest(join(folder, 'model.json'), { ...wishes, id: 'No Id' }, DURABLE_FILES),
  ).rejects.toThrow('id: must be');
  await expect(writeManifest(join(folder, 'weights-1.bin'), wishes, DURABLE_FILES)).rejects.toThrow(
    'it is neither an .onnx file',
  );
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});

test('a manifest is written over when it is to be replaced, and comes back when the new one is invalid', async () => {
  const file = join(folder, 'model.json');
  await writeModel(folder, meanColour);
  await writeManifest(file, { ...wishes, replace: true }, DURABLE_FILES);
  const path = await writeManifest(file, { ...wishes, version: '2.0.0', replace: true }, DURABLE_FILES);
  const second = await readFile(path, 'utf8');
  expect(JSON.parse(second)).toMatchObject({ version: '2.0.0' });
  const invalid = { ...wishes, id: 'No Id', replace: true };
  await expect(writeManifest(file, invalid, DURABLE_FILES)).rejects.toThrow('id: must be');
  expect(await readFile(path, 'utf8')).toBe(second);
  expect(await readdir(folder)).not.toContain('manifest.json.previous');
});
