import { join } from 'node:path';
import { outcomeOf } from '../../scripts/lab/service-processes';
import { ONNX_MISSING } from '../../workers/embedder/backends';
import { openMigrated } from '../support/database';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, NCHW, writeModel, writeOnnxModel } from './tiny-models';

/** When npm could not install ONNX Runtime, or it was removed. */
const NODE_OPTIONS = `--require ${join(__dirname, '../support/without-onnx.cjs')}`;

const dataDir = temporaryFolder();
let close = async () => {};
beforeAll(async () => {
  close = await openMigrated(dataDir);
});
afterAll(() => close());

const add = (folder: string, backend: string) =>
  outcomeOf({ DATA_DIR: dataDir, INFERENCE_BACKEND: backend, NODE_OPTIONS }, ...['models', 'add', folder]);
const refused = { code: 1, stderr: expect.stringContaining(ONNX_MISSING) };

describe('without ONNX Runtime', () => {
  test('TensorFlow.js models run; ONNX requested by name is reported missing, with how to get it', async () => {
    const folder = temporaryFolder();
    await writeModel(folder, meanColour);
    await expect(add(folder, 'onnx')).resolves.toMatchObject(refused);
    await expect(add(folder, 'auto')).resolves.toMatchObject({ code: 0 });
  });

  test('an ONNX model is refused with the command that installs it', async () => {
    const folder = temporaryFolder();
    await writeOnnxModel(folder, { shape: NCHW, kernel: [[1], [0], [0]] });
    await expect(add(folder, 'auto')).resolves.toMatchObject(refused);
  });
});
