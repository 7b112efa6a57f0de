import { join } from 'node:path';
import { InferencePool } from '../../workers/embedder/inference-pool';
import { type ModelFolder, readManifest } from '../../workers/embedder/model-folder';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, POOL, SIDE, writeModel } from './tiny-models';

const red = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, index) => (index % 3 === 0 ? 255 : 0));
const RED = [Float32Array.from([1, 0, 0])];
const UNAVAILABLE = { code: 'unavailable' };
let model: ModelFolder;

beforeAll(async () => {
  const folder = temporaryFolder();
  model = { folder, manifest: await writeModel(folder, meanColour) };
});

describe('the pool', () => {
  test('refuses with unavailable when too many wait, and when it is closed; what runs is finished', async () => {
    const pool = await InferencePool.start({ ...POOL, waitingMax: 3 });
    await pool.load('tiny', model);
    const [running, ...others] = Array.from({ length: 4 }, () => pool.embed('tiny', [red], 'query'));
    const refused = others.map((each) => expect(each).rejects.toMatchObject(UNAVAILABLE));
    await Promise.all([pool.close(), ...refused]);
    await expect(running).resolves.toEqual(RED);
    await expect(pool.embed('tiny', [red], 'query')).rejects.toMatchObject(UNAVAILABLE);
  });

  test('keeps an engine for photos while they come, and none while none do', async () => {
    const pool = await InferencePool.start({ ...POOL, threads: 2 });
    await pool.load('tiny', model);
    const before = pool.embed('tiny', [red, red], 'catalog');
    expect(pool.stats()).toMatchObject({ free: 0 });
    await before;
    await pool.embed('tiny', [red], 'query');
    const beside = pool.embed('tiny', [red, red], 'catalog');
    expect(pool.stats()).toMatchObject({ free: 1 });
    await expect(beside).resolves.toHaveLength(2);
    await pool.close();
  });

  test('gives an inference up that hangs, and replaces its engine', async () => {
    const pool = await InferencePool.start({ ...POOL, batchTimeoutMs: 1 });
    const folder = join(__dirname, '../../workers/embedder/bundled');
    const manifest = await readManifest(folder);
    await pool.load('slow', { folder, manifest });
    // A hundred million multiplications take longer than a millisecond.
    const view = new Uint8Array(manifest.input.width * manifest.input.height * 3);
    await expect(pool.embed('slow', [view], 'query')).rejects.toMatchObject({ name: 'PictureFailed' });
    await pool.close();
    expect(pool.stats()?.replaced).toBeGreaterThanOrEqual(2);
  });
});
