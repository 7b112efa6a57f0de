import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobAnswer } from '../../api/client/schema';
import { SCOPES } from '../../models/access/api-key';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { installLayoutModel, LAYOUT_SETTINGS } from '../faults/layout-model';
import { photoNumber, writePictures } from '../faults/photos';
import { ADMIN_TOKEN, type Answer, ApiClient, OperatorClient } from '../support/api-client';
import { copyMigrated } from '../support/database';
import { WebhookReceiver } from '../support/local-server';
import { loupeHere } from '../support/run-loupe';

/** Room for a database and the model, and how much of it is left free. */
const DISK = '400m';
const LEFT_BYTES = 16 * 2 ** 20;
const CREDITS = 100_000;
const POLL_MS = 100;
/** Calls until one finds no room, at most: what the database has set aside for its log is soon used up. */
const CALLS_MAX = 300;
const RECORDS = 100;
/** Entries of a job, and of one that is unfinished when the disk is full. */
const ENTRIES = 3;
const ENTRIES_MAX = 60;

/** Linux allows anyone to mount a disk in their own namespace, if they may create one. */
const IN_NAMESPACE = ['unshare', '--map-root-user', '--mount'];
/** A command that runs what follows with a small disk at a folder, filled with what is in another. */
const withDiskAt = (folder: string, content: string): string[] => [
  ...[...IN_NAMESPACE, 'sh', '-c'],
  `mount -t tmpfs -o size=${DISK} loupe "$0" && cp -r "$1/." "$0" && shift && exec "$@"`,
  ...[folder, content],
];
const [unshare = '', ...words] = [...IN_NAMESPACE, 'mount', '-t', 'tmpfs', 'loupe', tmpdir()];
const canMount = spawnSync(unshare, words).status === 0;

(canMount ? describe : describe.skip)('a service whose disk is full', () => {
  const receiver = new WebhookReceiver();
  let folder: string;
  let service: ServiceProcess;
  let writer: ApiClient;
  let caller: ApiClient;
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
    const own = { ADMIN_TOKEN, WEBHOOK_ALLOW: await receiver.listen(), VISION_DEADLINE_MS: '5000' };
    const settings = { ...LAYOUT_SETTINGS, ...own };
    await copyMigrated(content);
    await installLayoutModel(content);
    await writePictures(join(folder, 'bundle'));
    const close = await openEmbedded(content);
    await loupeHere({ ...settings, DATA_DIR: content }, 'catalog', 'import', join(folder, 'bundle'));
    await close();
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
    const { secret } = await operator.key(await operator.account(credits), { scopes: SCOPES });
    return new ApiClient(service.url, secret);
  }

  const box = (id: string, rest: object = {}) => ({
    products: { id, category: 'boxes', attributes: { brand: 'brand_one' }, ...rest },
  });

  async function makeJob(from: number, entries: number): Promise<Answer<JobAnswer>> {
    const sent = Array.from({ length: entries }, async (_, entry) => {
      const { jpeg } = await photoNumber(from + entry);
      return { base64: jpeg.toString('base64') };
    });
    const made = await caller.createJob({ entries: await Promise.all(sent) });
    if (made.status === 202) jobs.push(made.body.id);
    return made;
  }

  test('refuses records that it has no room for with a 503', async () => {
    expect((await makeJob(0, ENTRIES_MAX)).status).toBe(202);
    await untilRefused(async (at) => {
      const ids = Array.from({ length: RECORDS }, (_, index) => `product_${at}_${index}`);
      written.push(ids);
      const keywords = Array.from({ length: 20 }, (_, word) => `word${at}x${word} ${'long '.repeat(20)}`);
      const answer = await writer.write(ids.map((id) => box(id, { keywords, popularity: at })));
      if (answer.status === 200) expect(answer.body.accepted).toBe(RECORDS);
      return answer;
    });
    expect(written.length).toBeGreaterThan(1);
    expect(await isReady()).toBe(false);
  });

  test('refuses jobs that it cannot keep with a 503', () =>
    untilRefused((at) => makeJob(ENTRIES_MAX + at * ENTRIES, ENTRIES)));

  test('continues when there is room: nothing is half done, and each job is answered, booked and announced', async () => {
    await rm(filler());
    while (!(await isReady())) await delay(POLL_MS);
    const refused = written.pop() ?? [];
    const found = await Promise.all(written.map((ids) => writer.items({ ids, includes: [] })));
    expect(found.flatMap(({ body }) => body.not_found)).toEqual([]);
    // Some of the refused call may be there, each of them whole.
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

async function fill(path: string, leftBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  const file = await open(path, 'w');
  const block = Buffer.alloc(64 * 1024);
  for (let bytes = leftBytes; bytes < bavail * bsize; bytes += block.length) await file.write(block);
  await file.close();
}

async function untilRefused(call: (at: number) => Promise<Answer>): Promise<void> {
  for (let at = 0; at < CALLS_MAX; at += 1) {
    const { status, body, headers } = await call(at);
    if (status < 400) continue;
    expect([status, body]).toMatchObject([503, { success: false, error: 'unavailable' }]);
    expect(headers.has('Retry-After')).toBe(true);
    return;
  }
  throw new Error('there is room for everything');
}
