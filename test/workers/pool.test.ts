import { join } from 'node:path';
import { EngineHandle } from '../../workers/embedder/engine-handle';
import { InferencePool } from '../../workers/embedder/inference-pool';
import { readManifest } from '../../workers/embedder/model-folder';
import { silent } from '../support/log-sink';
import { temporaryFolder } from '../support/temporary-folder';
import { meanColour, SIDE, writeModel } from './tiny-models';

describe('the pool', () => {
  const red = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, index) => (index % 3 === 0 ? 255 : 0));
  const options = {
    threads: 1,
    backend: 'wasm',
    waitingMax: 3,
    batchTimeoutMs: 30_000,
    logger: silent,
  } as const;
  let model = { folder: '', manifest: {} as Awaited<ReturnType<typeof writeModel>> };

  beforeAll(async () => {
    const folder = temporaryFolder();
    model = { folder, manifest: await writeModel(folder, meanColour) };
  });

  test('refuses with unavailable when too many wait, and when it is closed; what runs is finished', async () => {
    const pool = await InferencePool.start(options);
    await pool.load('tiny', model);
    const running = pool.embed('tiny', [red], 'query');
    const waiting = [pool.embed('tiny', [red], 'query'), pool.embed('tiny', [red], 'query')];
    const refused = pool.embed('tiny', [red], 'query');
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    const turnedAway = waiting.map((each) => expect(each).rejects.toMatchObject({ code: 'unavailable' }));
    await Promise.all([pool.close(), ...turnedAway]);
    await expect(running).resolves.toEqual([Float32Array.from([1, 0, 0])]);
    await expect(pool.embed('tiny', [red], 'query')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('keeps an engine for photos while they come, and none while none do', async () => {
    const pool = await InferencePool.start({ ...options, threads: 2 });
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
    const pool = await InferencePool.start({ ...options, batchTimeoutMs: 1 });
    const folder = join(__dirname, '../../workers/embedder/bundled');
    const manifest = await readManifest(folder);
    await pool.load('slow', { folder, manifest });
    // A hundred million multiplications take longer than a millisecond.
    const view = new Uint8Array(manifest.input.width * manifest.input.height * 3);
    await expect(pool.embed('slow', [view], 'query')).rejects.toMatchObject({ name: 'PictureFailed' });
    await pool.close();
    expect(pool.stats()?.replaced).toBeGreaterThanOrEqual(2);
  });

  test('runs on libtensorflow where it is installed, and elsewhere says why not', async () => {
    const started = InferencePool.start({ ...options, backend: 'tensorflow' });
    const pool = await started.catch((failure: Error) => failure);
    if (pool instanceof Error) {
      expect(pool.message).toMatch(/^Inference can not start: no backend starts here \(tensorflow: /);
      return;
    }
    await pool.load('tiny', model);
    await expect(pool.embed('tiny', [red], 'query')).resolves.toEqual([Float32Array.from([1, 0, 0])]);
    await pool.close();
  });
});

describe('an engine in a process of its own', () => {
  test('answers as one in a thread, and tells of its end', async () => {
    const folder = temporaryFolder();
    const manifest = await writeModel(folder, meanColour);
    const engine = new EngineHandle('process');
    await expect(engine.call('open', { backends: ['wasm'] })).resolves.toBe('wasm');
    await engine.call('load', { key: 'tiny', model: { folder, manifest }, rowsMax: 2 });
    const pixels = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, index) => (index % 3 === 2 ? 9 : 0));
    const { vectors, broken } = await engine.call('run', { key: 'tiny', rows: 1, pixels });
    expect({ vectors: [...vectors], broken }).toEqual({ vectors: [0, 0, 1], broken: [] });
    const unanswered = engine.call('unload', { key: 'tiny' }).catch((failure: unknown) => failure);
    await engine.stop();
    await expect(engine.ended).resolves.toBe('SIGKILL');
    await expect(engine.call('open', { backends: ['wasm'] })).rejects.toMatchObject({ name: 'EngineEnded' });
    await unanswered;
  });
});
