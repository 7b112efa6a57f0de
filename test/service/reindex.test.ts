import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from '../../db/core/knex';
import { identifier, rowsOf, sql } from '../../db/core/sql';
import { LocalImageStore } from '../../db/files/local-image-store';
import type { BuildResult } from '../../models/indexing/build-service';
import type { EmbeddingsStatus } from '../../models/indexing/status-service';
import { AnswerLog } from '../../scripts/lab/bench/answer-log';
import { addPictures } from '../../scripts/lab/bench/many-pictures';
import { type ServiceProcess, spawnLoupe, startProcess } from '../../scripts/lab/service-processes';
import { openAccount } from '../faults/books';
import { layoutInstallation, writeLayoutModel } from '../faults/layout-model';
import { Photos } from '../faults/photos';
import type { Installation } from '../support/installation';
import { loupeHere } from '../support/run-loupe';

/**
 * Another model without a blink: built, killed, resumed, promoted, rolled back and pruned by the commands, beside a
 * service that answers all the while. Nothing is faked but the models, which cost nothing. On the embedded default one process does
 * it all; on PostgreSQL and Redis two apis and two workers do. The tests go on where the last one left off.
 */
const PICTURES = 240;
const PHOTOS = 12;
const CLIENTS = 3;
const POLL_MS = 20;
/** Of a client between its calls: the commands beside them need some of the machine. */
const PAUSE_MS = 50;

/** Of a machine that does other work too. */
jest.setTimeout(400_000);

let installation: Installation;
let settings: Installation['settings'];
let database: Database;
let photos: Photos;
let key: string;
const apis: ServiceProcess[] = [];
const workers: ServiceProcess[] = [];

beforeAll(async () => {
  installation = await layoutInstallation({ IMAGE_STORE: '', VISION_DEADLINE_MS: '120000' });
  ({ settings } = installation);
  const next = { id: 'next', channels: 'bgr', view: [0.1, 0.1, 0.8, 0.8] } as const;
  await writeLayoutModel(join(installation.dataDir, 'models', 'next@1.0.0'), next);
  const bundle = join(installation.folder, 'bundle');
  photos = await Photos.ofCatalog(bundle);
  const roles = settings['REDIS_URL'] === undefined ? ['all'] : ['api', 'api', 'worker', 'worker'];
  const started = await Promise.all(roles.map((ROLE) => startProcess({ ...settings, ROLE })));
  for (const [index, each] of started.entries()) (roles[index] === 'worker' ? workers : apis).push(each);
  await loupeHere(settings, 'catalog', 'import', bundle);
  database = await installation.connect();
  ({ key } = await openAccount({ database }, 'test', { test: false }));
  await picturesMore(0, PICTURES);
  await build('layout');
}, 180_000);

afterAll(async () => {
  for (const each of [...apis, ...workers].reverse()) await each.stop();
  await database?.close();
  await installation?.remove();
}, 60_000);

const loupe = (...words: string[]) => loupeHere(settings, 'embeddings', ...words);
const build = (model: string, ...words: string[]) =>
  loupe('build', '--model', model, ...words) as Promise<BuildResult>;
const status = () => loupe('status') as Promise<EmbeddingsStatus>;

const picturesMore = (from: number, count: number): Promise<number[]> =>
  addPictures(
    { knex: database.knex, store: new LocalImageStore(join(installation.dataDir, 'images')) },
    { count, from, side: 48 },
  );

/** Photos from a few clients to all apis while `work` goes on; each photo is sent again and again. */
async function underLoad<Result>(work: (log: AnswerLog) => Promise<Result>): Promise<[AnswerLog, Result]> {
  const log = new AnswerLog(database.knex);
  await log.noteLive();
  let ended = false;
  const client = async (first: number): Promise<void> => {
    for (let call = first; !ended; call += CLIENTS) {
      const { jpeg } = await photos.photo(call % PHOTOS);
      await log.identify(apis[call % apis.length]?.url ?? '', key, call % PHOTOS, jpeg);
      await delay(PAUSE_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
  const result = await work(log).finally(() => {
    ended = true;
  });
  await clients;
  return [log, result];
}

/** Starts a build and kills it once so many images are embedded. Answers whether it had not ended before. */
async function killedBuild(versionOf: () => Promise<number>, atImages: number, ...words: string[]) {
  const child = spawnLoupe(settings, 'embeddings', 'build', '--model', 'next', ...words);
  child.stdout.resume();
  child.stderr.resume();
  const ended = once(child, 'exit');
  while (child.exitCode === null && (await imagesOf(await versionOf())).length < atImages)
    await delay(POLL_MS);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  return signal === 'SIGKILL';
}

/** Ids of the images with vectors under a version; none while there is no such version. */
async function imagesOf(versionId: number): Promise<number[]> {
  if (versionId === 0) return [];
  const rows = await rowsOf<{ image: number }>(
    database.knex,
    sql`SELECT DISTINCT image_id AS image FROM ${tableOf(versionId)} ORDER BY image_id`,
  );
  return rows.map(({ image }) => Number(image));
}

async function vectorsOf(versionId: number): Promise<string[]> {
  const rows = await rowsOf<{ line: string }>(
    database.knex,
    sql`SELECT image_id || ' ' || view || ' ' || embedding::text AS line FROM ${tableOf(versionId)} ORDER BY image_id, view`,
  );
  return rows.map(({ line }) => line);
}

const tableOf = (versionId: number) => identifier(`embeddings_${versionId}`);

const buildingId = async (): Promise<number> => {
  const knex: Knex = database.knex;
  const row = await knex('embedding_versions').where({ state: 'building' }).first('id');
  return row ? Number(row.id) : 0;
};

test('a build goes on beside the service, through kills of the command and of a worker, and misses nothing', async () => {
  const [log, result] = await underLoad(async () => {
    // On a busy machine all may be built before it is looked at.
    while (!(await killedBuild(buildingId, 1))) await loupe('prune', '--building');
    await expect(build('next')).rejects.toThrow(/--resume/);
    const [victim] = workers;
    if (victim) {
      const dying = killedBuild(buildingId, PICTURES / 2, '--resume');
      victim.process.kill('SIGKILL');
      await dying;
      workers[0] = await startProcess({ ...settings, ROLE: 'worker' });
    } else await killedBuild(buildingId, PICTURES / 2, '--resume');
    const came = await picturesMore(PICTURES, 24);
    const resumed = await build('next', '--resume');
    return { came, resumed };
  });
  const { faults, answersByVersion } = await log.audit();
  expect(faults).toEqual([]);
  expect([...answersByVersion.keys()]).toHaveLength(1);
  const { came, resumed } = result;
  expect(resumed).toMatchObject({ model: 'next@1.0.0', pending: 0, failed: 0 });
  expect(resumed.embedded).toBe(resumed.images);
  const images = await imagesOf(resumed.version);
  expect(images).toHaveLength(resumed.images);
  expect(images).toEqual(expect.arrayContaining(came));
});

test('the state is that of a build that nobody disturbed', async () => {
  const disturbed = await buildingId();
  const vectors = await vectorsOf(disturbed);
  await expect(loupe('prune', '--building')).resolves.toMatchObject({
    pruned: [expect.stringContaining('next@1.0.0')],
  });
  const { version, embedded } = await build('next');
  expect(version).not.toBe(disturbed);
  const again = await vectorsOf(version);
  expect(again.length).toBe(vectors.length);
  // Of equal pictures, whatever batch they were computed in.
  expect(again.filter((line, index) => line !== vectors[index]).length).toBeLessThan(0.02 * again.length);
  expect(embedded).toBe(new Set(vectors.map((line) => line.split(' ')[0])).size);
});

test('images that come are embedded for the live version and for the one that is built', async () => {
  const came = await picturesMore(2 * PICTURES, 8);
  // Says nothing of products, whose pictures it would make those of its records.
  const tags = join(installation.folder, 'tags');
  await mkdir(tags);
  await copyFile(join(installation.folder, 'bundle', 'tags.jsonl'), join(tags, 'tags.jsonl'));
  await loupeHere(settings, 'catalog', 'import', tags);
  for (const { version } of (await status()).versions) {
    expect(await imagesOf(version)).toEqual(expect.arrayContaining(came));
  }
});

test('a version is promoted only when nothing speaks against it, unless that is forced', async () => {
  const refusal = loupe('promote', '--model', 'next');
  await expect(refusal).rejects.toThrow(/not evaluated[\s\S]*--force/);
  await picturesMore(3 * PICTURES, 1);
  await expect(loupe('promote', '--model', 'next')).rejects.toThrow(/1 of \d+ images are not embedded yet/);
  await build('layout');
  await build('next');
  const judged = await loupe('evaluate', '--model', 'next', '--queries', '12');
  expect(judged).toMatchObject({
    candidate: { model: 'next@1.0.0', recall: expect.any(Array) },
    live: { model: 'layout@1.0.0' },
    comparison: { agreement: expect.any(Number) },
  });
});

// contract 14.6
test('promoted and gone back under load, every answer is of a version that was live then, and none fails', async () => {
  const [log] = await underLoad(async (answers) => {
    for (const words of [['promote', '--model', 'next', '--force'], ['rollback'], ['rollback']]) {
      await delay(300);
      await loupe(...words);
      await answers.noteLive();
    }
    await delay(300);
  });
  const { faults, answersByVersion } = await log.audit();
  expect(faults).toEqual([]);
  expect(answersByVersion.size).toBe(2);
  expect((await status()).model).toBe('next@1.0.0');
});

test('what a rollback needs is kept when the rest is pruned, and dropped under load when that is asked', async () => {
  expect(await loupe('prune')).toMatchObject({ pruned: [] });
  const [log] = await underLoad(async (answers) => {
    await loupe('rollback');
    await answers.noteLive();
    await loupe('prune', '--all');
    await delay(200);
  });
  expect((await log.audit()).faults).toEqual([]);
  const left = await status();
  expect(left.versions.map(({ model, state }) => [model, state])).toEqual([['layout@1.0.0', 'live']]);
  await expect(loupe('rollback')).rejects.toThrow('There is no version to go back to');
});
