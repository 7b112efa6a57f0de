import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../../db/embedded/engine-thread';
import { SCOPES } from '../../models/access/api-key';
import { runLoupe, type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { installLayoutModel } from '../faults/layout-model';
import { Photos } from '../faults/photos';
import { ADMIN_TOKEN, type Answer, ApiClient, type JobAnswer, OperatorClient } from '../support/api-client';
import { copyMigrated } from '../support/database';
import { WebhookReceiver } from '../support/local-server';

test.each([
  [{ name: 'ErrnoError', errno: 51 }, 'no space is left on its disk'],
  [{ name: 'ErrnoError', errno: 29 }, 'its files fail (WASI error 29)'],
  [new Error('a reason of its own'), 'a reason of its own'],
  ['another', 'another'],
])('a database that ends by %p says why', (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

/** Room for a database and the model, and what of it is left free. */
const DISK = '400m';
const LEFT_BYTES = 16 * 2 ** 20;
const CREDITS = 100_000;
const POLL_MS = 100;
/** Calls until one finds no room, at most: what the database has set aside for its log is soon used up. */
const CALLS_MAX = 300;
const RECORDS = 100;
/** Of a job, and of one that is not done when the disk is full. */
const ENTRIES = 3;
const ENTRIES_MAX = 100;

/**
 * A command that runs what follows with a small disk of its own at a folder, filled with what is in another. Linux allows
 * such a mount to anyone who it gives a namespace.
 */
const withDiskAt = (folder: string, content: string): string[] => [
  ...IN_NAMESPACE,
  ...['sh', '-c', `mount -t tmpfs -o size=${DISK} loupe "$0" && cp -r "$1/." "$0" && shift && exec "$@"`],
  ...[folder, content],
];
const IN_NAMESPACE = ['unshare', '--map-root-user', '--mount'];
const [unshare = '', ...words] = [...IN_NAMESPACE, 'mount', '-t', 'tmpfs', 'loupe', tmpdir()];
const canMount = spawnSync(unshare, words).status === 0;

(canMount ? describe : describe.skip)('a service whose disk is full', () => {
  const receiver = new WebhookReceiver();
  let folder: string;
  let service: ServiceProcess;
  let writer: ApiClient;
  let caller: ApiClient;
  let photos: Photos;
  const written: string[][] = [];
  const jobs: string[] = [];
  jest.setTimeout(300_000);

  /** A file on the disk of the service, as this process sees it. */
  const filler = () => `/proc/${service.process.pid}/root${join(folder, 'disk', 'filler')}`;

  const isReady = async () => (await fetch(`${service.url}/readyz`)).status === 200;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lpd-'));
    const [disk, content] = [join(folder, 'disk'), join(folder, 'content')];
    await mkdir(disk);
    const settings = {
      ...{ ADMIN_TOKEN, RATE_PER_SECOND: '0', WEBHOOK_ALLOW: await receiver.listen() },
      ...{ CONFIDENCE_FLOOR: '0', INFERENCE_THREADS: '1', MODEL: 'layout', VISION_DEADLINE_MS: '5000' },
    };
    await copyMigrated(content);
    await installLayoutModel(content);
    photos = await Photos.ofCatalog(join(folder, 'bundle'));
    await runLoupe({ ...settings, DATA_DIR: content }, 'catalog', 'import', join(folder, 'bundle'));
    await rm(join(content, 'postgres', 'run'), { recursive: true });
    service = await startProcess({ ...settings, DATA_DIR: disk }, 'inherit', withDiskAt(disk, content));
    [writer, caller] = [await clientOf(null), await clientOf(CREDITS)];
    const body = { url: `http://${receiver.address}/told`, events: ['vision.job.done'] };
    expect((await caller.send('POST', '/v3/webhooks', { body })).status).toBe(201);
    const made = await writer.write([
      { categories: { id: 'boxes', name: 'Boxes', hierarchy: ['brand'], name_fields: ['brand'] } },
      { entities: { id: 'brand_one', kind: 'brand', name: 'One', category: 'boxes' } },
    ]);
    expect(made.body).toMatchObject({ accepted: 2 });
    await fill(filler(), LEFT_BYTES);
  });

  afterAll(async () => {
    await service?.stop();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function clientOf(credits: number | null): Promise<ApiClient> {
    const operator = new OperatorClient(() => service.url);
    const wanted = { name: 'shop', versions: ['v3'], scopes: SCOPES };
    const accountId = await operator.account(credits);
    const { body } = await operator.post<{ secret: string }>(`/accounts/${accountId}/keys`, wanted);
    return new ApiClient(service.url, body.secret);
  }

  const box = (id: string, rest: object = {}) => ({
    products: { id, category: 'boxes', attributes: { brand: 'brand_one' }, ...rest },
  });

  /** A job of so many photos. */
  async function makeJob(from: number, entries: number): Promise<Answer<JobAnswer>> {
    const numbers = Array.from({ length: entries }, (_, entry) => from + entry);
    const sent = numbers.map(async (each) => (await photos.photo(each)).jpeg.toString('base64'));
    const made = await caller.createJob({
      entries: (await Promise.all(sent)).map((base64) => ({ base64 })),
    });
    if (made.status === 202) jobs.push(made.body.id);
    return made;
  }

  test('refuses records that it has no room for with a 503', async () => {
    expect((await makeJob(0, ENTRIES_MAX)).status).toBe(202);
    const answers = await untilRefused(async (at) => {
      const ids = Array.from({ length: RECORDS }, (_, index) => `product_${at}_${index}`);
      written.push(ids);
      const keywords = Array.from({ length: 20 }, (_, word) => `word${at}x${word} ${'long '.repeat(20)}`);
      return writer.write(ids.map((id) => box(id, { keywords, popularity: at })));
    });
    expect(answers.length).toBeGreaterThan(1);
    for (const { status, body } of answers.slice(0, -1))
      expect([status, body.accepted]).toEqual([200, RECORDS]);
    expectUnavailable(answers.at(-1));
    expect(await isReady()).toBe(false);
  });

  test('refuses jobs that it can not keep with a 503', async () => {
    expectUnavailable((await untilRefused((at) => makeJob(ENTRIES_MAX + at * ENTRIES, ENTRIES))).at(-1));
  });

  test('goes on when there is room: nothing is half, each job is answered, booked and told', async () => {
    await rm(filler());
    while (!(await isReady())) await delay(POLL_MS);
    const [refused = []] = written.slice(-1);
    for (const ids of written) {
      const { body } = await writer.items({ ids, includes: [] });
      // Of the call that was refused some may stand, each of them whole.
      expect(body.not_found).toEqual(ids === refused ? expect.any(Array) : []);
    }
    expect((await writer.write(refused.map((id) => box(id)))).body).toMatchObject({ accepted: RECORDS });
    await makeJob(9_000, 1);
    let used = 0;
    for (const id of jobs) {
      let job = await caller.job(id);
      for (; job.body.status !== 'done'; job = await caller.job(id)) await delay(POLL_MS);
      expect(job.body).toMatchObject({ failed: 0, cancelled: 0 });
      used += job.body.credits_used;
    }
    expect(used).toBeGreaterThan(0);
    const account = await caller.send<{ account: { credits: number } }>('GET', '/v3/account');
    expect(account.body.account.credits).toBe(CREDITS - used);
    const told = () => new Set(receiver.to('/told').map(({ body }) => JSON.parse(body).data.id));
    while (jobs.some((id) => !told().has(id))) await delay(POLL_MS);
  });
});

/** Writes a file that leaves so much room on its disk. */
async function fill(path: string, leftBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  const file = await open(path, 'w');
  const block = Buffer.alloc(64 * 1024);
  for (let bytes = leftBytes; bytes < bavail * bsize; bytes += block.length) await file.write(block);
  await file.close();
}

/** Calls until one is refused; what came of each. */
async function untilRefused<Body>(call: (at: number) => Promise<Answer<Body>>): Promise<Answer<Body>[]> {
  const answers: Answer<Body>[] = [];
  for (let at = 0; at < CALLS_MAX; at += 1) {
    const answer = await call(at);
    answers.push(answer);
    if (answer.status >= 400) return answers;
  }
  throw new Error('there is room for everything');
}

function expectUnavailable(answer: Answer | undefined): void {
  expect(answer).toMatchObject({ status: 503, body: { success: false, error: 'unavailable' } });
  expect(answer?.headers.has('Retry-After')).toBe(true);
}
