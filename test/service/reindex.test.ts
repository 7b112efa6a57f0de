import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalImageStore } from '../../db/files/local-image-store';
import type { BuildResult } from '../../models/indexing/build-service';
import type { EmbeddingsStatus } from '../../models/indexing/status-service';
import { startProcess } from '../../scripts/lab/service-processes';
import { installLayoutModel, layoutInstallation } from '../faults/layout-model';
import { photoNumber, pictureOf, productId, writePictures } from '../faults/photos';
import { type RunningInstallation, runInstallation } from '../support/installation';
import { killCommand } from '../support/run-loupe';
import { AnswerLog } from './answer-log';

/**
 * Replaces the model without downtime, using the commands, beside a service under load: one embedded process, or two apis and two
 * workers on PostgreSQL and Redis. Only the models are faked. Each test continues where the last one ended.
 */
const PICTURES = 60;
const PHOTOS = 12;
const CLIENTS = 3;
/** Between calls of a client, as the commands need processor time too. */
const PAUSE_MS = 100;

let running: RunningInstallation;

beforeAll(async () => {
  const installation = await layoutInstallation({ IMAGE_STORE: '', VISION_DEADLINE_MS: '120000' });
  await installLayoutModel(installation.dataDir, 'next', { channels: 'bgr', view: [0.1, 0.1, 0.8, 0.8] });
  const bundle = join(installation.folder, 'bundle');
  await writePictures(bundle);
  running = await runInstallation(installation, { onServers: ['api', 'api', 'worker', 'worker'] });
  await running.loupe('catalog', 'import', bundle);
  await addMorePictures(0, PICTURES);
  await build('layout');
});
afterAll(() => running?.stop());

const embeddings = <Document>(...words: string[]) => running.loupe<Document>('embeddings', ...words);
const build = (model: string, ...words: string[]) =>
  embeddings<BuildResult>('build', '--model', model, ...words);

/** Adds pictures of nothing that a photo shows, not embedded yet; returns their image ids. @param from number of the first */
async function addMorePictures(from: number, count: number): Promise<number[]> {
  const { knex, dataDir } = running;
  const store = new LocalImageStore(join(dataDir, 'images'));
  const ids: number[] = [];
  for (let number = from; number < from + count; number += 1) {
    const address = await store.put(await pictureOf(1000 + number, 0), 'jpg');
    const [made]: { id: number }[] = await knex('images').insert({ address }).returning('id');
    ids.push(Number(made?.id));
    const product = { image_id: made?.id, product_id: productId(number % PHOTOS) };
    await knex('product_images').insert(product);
  }
  return ids;
}

/** Photos from a few clients to all apis while `work` runs, each sent repeatedly; every result is right. */
async function underLoad<Result>(work: (log: AnswerLog) => Promise<Result>): Promise<[number, Result]> {
  const apis = Math.ceil(running.processes.length / 2);
  const log = new AnswerLog(running.knex);
  await log.noteLive();
  let isOver = false;
  const client = async (first: number): Promise<void> => {
    for (let call = first; !isOver; call += CLIENTS) {
      const { jpeg } = await photoNumber(call % PHOTOS);
      await log.identify(running.api(call % apis), call % PHOTOS, jpeg);
      await delay(PAUSE_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
  const result = await work(log).finally(() => {
    isOver = true;
  });
  await clients;
  const { faults, versions } = await log.audit();
  expect(faults).toEqual([]);
  return [versions, result];
}

/** Starts a build and kills it once this many images are embedded. Returns whether it was still running. */
function killedBuild(atImages: number, ...words: string[]): Promise<boolean> {
  const isReached = async () => (await imagesOf(await buildingId())).length >= atImages;
  return killCommand(running.settings, ['embeddings', 'build', '--model', 'next', ...words], isReached);
}

const isRefused = (): Promise<boolean> =>
  build('next').then(
    () => false,
    (failure: unknown) => {
      expect(String(failure)).toMatch(/--resume/);
      return true;
    },
  );

/** 0 when no version is being built. */
const buildingId = async (): Promise<number> => {
  const row = await running.knex('embedding_versions').where({ state: 'building' }).first('id');
  return row ? Number(row.id) : 0;
};

/** The image of each vector under a version; the models have one view. */
const imagesOf = async (version: number): Promise<number[]> =>
  version === 0 ? [] : running.knex(`embeddings_${version}`).pluck('image_id');

test('a build continues beside the service although the command and a worker are killed, and misses nothing', async () => {
  const [versions, { came, resumed }] = await underLoad(async () => {
    // On a busy machine the build may be complete before it is checked.
    while (!(await killedBuild(1)) || !(await isRefused())) await embeddings('prune', '--building');
    const dying = killedBuild(PICTURES / 2, '--resume');
    const [worker, ...others] = running.processes.splice(2);
    worker?.process.kill('SIGKILL');
    await dying;
    if (worker) others.push(await startProcess({ ...running.settings, ROLE: 'worker' }));
    running.processes.push(...others);
    const added = await addMorePictures(PICTURES, 8);
    return { came: added, resumed: await build('next', '--resume') };
  });
  expect(versions).toBe(1);
  expect(resumed).toMatchObject({ model: 'next@1.0.0', pending: 0, failed: 0, embedded: resumed.images });
  const images = await imagesOf(resumed.version);
  expect([images.length, new Set(images).size]).toEqual([resumed.images, resumed.images]);
  expect(images).toEqual(expect.arrayContaining(came));
});

test('new images are embedded for the live version and for the one being built', async () => {
  const came = await addMorePictures(2 * PICTURES, 8);
  // Contains no products, whose pictures it would replace with those of its records.
  const tags = join(running.folder, 'tags');
  await mkdir(tags);
  await writeFile(
    join(tags, 'tags.jsonl'),
    '{"id":"edition:one","name":"One","order":1,"categories":["things"]}\n',
  );
  await running.loupe('catalog', 'import', tags);
  for (const { version } of (await embeddings<EmbeddingsStatus>('status')).versions)
    expect(await imagesOf(version)).toEqual(expect.arrayContaining(came));
});

test('a version is promoted only when nothing speaks against it, unless that is forced', async () => {
  const promote = () => embeddings('promote', '--model', 'next');
  await expect(promote()).rejects.toThrow(/not evaluated[\s\S]*--force/);
  await addMorePictures(3 * PICTURES, 1);
  await expect(promote()).rejects.toThrow(/1 of \d+ images are not embedded yet/);
  await build('layout');
  await build('next');
  expect(await embeddings('evaluate', '--model', 'next', '--queries', '3')).toMatchObject({
    candidate: { model: 'next@1.0.0', recall: expect.any(Array) },
    live: { model: 'layout@1.0.0' },
    comparison: { agreement: expect.any(Number) },
  });
});

// contract 14.6
test('during promotion, rollback and pruning under load, every answer is from a version that was live then, and none fails', async () => {
  const switches = [
    ['promote', '--model', 'next', '--force'],
    ['rollback'],
    ['rollback'],
    // Keeps what a rollback needs.
    ['prune'],
    ['rollback'],
    ['prune', '--all'],
  ];
  const [versions] = await underLoad(async (answers) => {
    for (const words of switches) {
      await delay(300);
      await embeddings(...words);
      await answers.noteLive();
    }
    await delay(300);
  });
  expect(versions).toBe(2);
  const left = await embeddings<EmbeddingsStatus>('status');
  expect(left.versions.map(({ model, state }) => [model, state])).toEqual([['layout@1.0.0', 'live']]);
  await expect(embeddings('rollback')).rejects.toThrow('There is no version to go back to');
});
