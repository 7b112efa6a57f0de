import childProcess from 'node:child_process';
import { join } from 'node:path';
import { Engine } from '../../workers/embedder/engine';
import { InferencePool } from '../../workers/embedder/inference-pool';
import { type ModelFolder, readManifest } from '../../workers/embedder/model-folder';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, POOL, SIDE, writeModel } from './tiny-models';

const red = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, index) => (index % 3 === 0 ? 255 : 0));
const RED = [Float32Array.from([1, 0, 0])];
const UNAVAILABLE = { code: 'unavailable' };
let model: ModelFolder;
const threadPorts = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort');

beforeAll(async () => {
  const folder = temporaryFolder();
  model = { folder, manifest: await writeModel(folder, meanColour) };
});

describe('the pool', () => {
  test('refuses what waits with unavailable when it is closed, and finishes what runs', async () => {
    const pool = await InferencePool.start(POOL);
    await pool.engines.load('tiny', model);
    const [running, ...others] = Array.from({ length: 4 }, () => pool.embed('tiny', [red], 'query'));
    const refused = others.map((each) => expect(each).rejects.toMatchObject(UNAVAILABLE));
    await Promise.all([pool.close(), ...refused]);
    await expect(running).resolves.toEqual(RED);
    await expect(pool.embed('tiny', [red], 'query')).rejects.toMatchObject(UNAVAILABLE);
  });

  test('keeps an engine for photos while they come, and none while none do', async () => {
    const pool = await InferencePool.start({ ...POOL, threads: 2 });
    await pool.engines.load('tiny', model);
    const before = pool.embed('tiny', [red, red], 'catalog');
    expect(pool.stats()).toMatchObject({ free: 0 });
    await before;
    await pool.embed('tiny', [red], 'query');
    const beside = pool.embed('tiny', [red, red], 'catalog');
    expect(pool.stats()).toMatchObject({ free: 1 });
    await expect(beside).resolves.toHaveLength(2);
    await pool.close();
  });

  test('gives up an inference that hangs, and replaces its engine, which ends with the pool; the model that waited behind it is not refused', async () => {
    const before = threadPorts();
    const pool = await InferencePool.start({ ...POOL, batchTimeoutMs: 1 });
    const folder = join(__dirname, '../../workers/embedder/bundled');
    const manifest = await readManifest(folder);
    await pool.engines.load('slow', { folder, manifest });
    // A hundred million multiplications take longer than a millisecond.
    const view = new Uint8Array(manifest.input.width * manifest.input.height * 3);
    const failed = { name: 'PictureFailed' };
    const hanging = expect(pool.embed('slow', [view], 'query')).rejects.toMatchObject(failed);
    await expect(pool.engines.load('tiny', model)).rejects.toMatchObject({ name: 'EngineEnded' });
    await hanging;
    await pool.close();
    expect(threadPorts()).toEqual(before);
    expect(pool.stats()?.replaced).toBeGreaterThanOrEqual(2);
  });

  test('runs on libtensorflow where it is installed, and otherwise says why not after one try', async () => {
    const fork = jest.spyOn(childProcess, 'fork');
    const started = InferencePool.start({ ...POOL, threads: 2, backend: 'tensorflow' });
    const pool = await started.catch((failure: Error) => failure);
    if (pool instanceof Error) {
      expect(pool.message).toMatch(/^Inference cannot start: no backend starts here \(tensorflow: /);
      expect(fork).toHaveBeenCalledTimes(1);
      return;
    }
    await pool.engines.load('tiny', model);
    await expect(pool.embed('tiny', [red], 'query')).resolves.toEqual(RED);
    await pool.close();
  });

  test('does not start a backend for which there is no process', async () => {
    jest.spyOn(childProcess, 'fork').mockImplementation(() => {
      throw new Error('spawn ENOMEM');
    });
    const started = InferencePool.start({ ...POOL, backend: 'tensorflow' });
    await expect(started).rejects.toThrow('Inference cannot start: spawn ENOMEM');
  });
});

test('an engine in a process of its own answers like one in a thread, and reports its end', async () => {
  const engine = new Engine('process');
  const open = () => engine.call('open', { backends: ['wasm'] }, 60_000);
  await expect(open()).resolves.toBe('wasm');
  await engine.call('load', { key: 'tiny', model, rowsMax: 2 }, 60_000);
  const { vectors, broken } = await engine.call('run', { key: 'tiny', rows: 1, pixels: red }, 60_000);
  expect({ vectors: [...vectors], broken }).toEqual({ vectors: [1, 0, 0], broken: [] });
  const unanswered = engine.call('unload', { key: 'tiny' }, 60_000).catch((failure: unknown) => failure);
  await engine.stop();
  await expect(engine.ended).resolves.toBe('SIGKILL');
  await expect(open()).rejects.toMatchObject({ name: 'EngineEnded' });
  await unanswered;
});
