import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { generateBundle, photoOfProduct, productId } from '../../scripts/lab/generator/generate-bundle';
import {
  REPOSITORY_ROOT,
  runLoupe,
  type ServiceProcess,
  startProcess,
} from '../../scripts/lab/service-processes';
import { openAccount } from '../faults/books';
import { type Installation, newInstallation } from '../support/installation';
import { closed, listening } from '../support/local-server';
import { loupeHere } from '../support/run-loupe';

/**
 * The whole path from a photo to catalog rows, with nothing faked: real processes, the bundled model, a generated
 * catalog. On the embedded default one process does it all; on PostgreSQL and Redis an api and two workers do.
 */
const SEED = 5;
const PRODUCTS = 12;
/** The head of a PNG of 100 megapixels. */
const HUGE =
  'iVBORw0KGgoAAAANSUhEUgAAJxAAACcQAQAAAACSNV+KAAAAFElEQVQAAAAAAAAAAAAAAAAAAAAAAAAAAKM5zQ4AAAAASUVORK5CYII=';

let installation: Installation;
let settings: Installation['settings'];
let key: string;
let api: ServiceProcess;
const processes: ServiceProcess[] = [];
let host: Server;
let hostAddress: string;

beforeAll(async () => {
  host = createServer(async (_request, response) => response.end(await photo(2)));
  hostAddress = await listening(host);
  installation = await newInstallation({
    IMAGE_FETCH_ALLOW: hostAddress,
    RATE_PER_SECOND: '0',
    CONFIDENCE_FLOOR: '0',
  });
  settings = installation.settings;
  const roles = settings['REDIS_URL'] === undefined ? ['all'] : ['api', 'worker', 'worker'];
  processes.push(...(await Promise.all(roles.map((ROLE) => startProcess({ ...settings, ROLE })))));
  const [first] = processes;
  if (!first) throw new Error('no process was started');
  api = first;
  const bundle = join(installation.folder, 'bundle');
  await generateBundle({ seed: SEED, products: PRODUCTS, out: bundle, images: true });
  await loupeHere(settings, 'catalog', 'import', bundle);
  const stores = await installation.connect();
  ({ key } = await openAccount({ database: stores }, 'test', { test: false }));
  await stores.close();
}, 180_000);

afterAll(async () => {
  for (const process of processes.reverse()) await process.stop();
  await closed(host);
  await installation?.remove();
}, 60_000);

const taken: Promise<Buffer>[] = [];
const photo = (index: number): Promise<Buffer> => {
  taken[index] ??= photoOfProduct({ seed: SEED, index, photoSeed: 1, level: 1, size: 400 });
  return taken[index];
};

const identify = (body: unknown, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
  fetch(`${api.url}/v3/vision/identify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Ids and confidences of the rows, best first. */
async function rowsOf(body: unknown): Promise<{ id: string; confidence: number }[]> {
  const answer = await identify(body);
  expect(answer.status).toBe(200);
  const { data } = (await answer.json()) as { data: { id: string; confidence: number }[] };
  return data.map(({ id, confidence }) => ({ id, confidence }));
}

/** The same rows, confidences up to rounding: a network sums in another order where it embeds several views together. */
const nearly = (rows: readonly { id: string; confidence: number }[]) =>
  rows.map(({ id, confidence }) => ({ id, confidence: expect.closeTo(confidence, 5) }));

const base64Of = async (index: number) => ({ base64: (await photo(index)).toString('base64') });

describe('A photo of an item of the catalog', () => {
  test('finds the item by base64, and the charge is in the books', async () => {
    const answer = await identify({ base64: (await photo(6)).toString('base64'), includes: ['pricing'] });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-used')).toBe('10');
    const body = (await answer.json()) as {
      data: { id: string; confidence: number }[];
      credits_used: number;
    };
    expect(body.credits_used).toBe(10);
    expect(body.data[0]).toMatchObject({ id: productId(SEED, 6) });
    expect(body.data[0]?.confidence).toBeGreaterThan(0);
    expect(body.data[0]?.confidence).toBeLessThanOrEqual(1);
  });

  test('finds the item by its address', async () => {
    const rows = await rowsOf({ url: `http://${hostAddress}/photo.jpg` });
    expect(rows.map(({ id }) => id)).toContain(productId(SEED, 2));
    expect(rows).toEqual(await rowsOf(await base64Of(2)));
  });

  test('is given the answer to itself when many are asked at once', async () => {
    const bodies = await Promise.all(Array.from({ length: 12 }, (_, index) => base64Of(index)));
    const together = await Promise.all(bodies.map(rowsOf));
    for (const [index, body] of bodies.entries()) expect(together[index]).toEqual(nearly(await rowsOf(body)));
    expect(new Set(together.map(([first]) => first?.id)).size).toBeGreaterThan(6);
  }, 60_000);
});

describe('What can not be identified is refused, and the next call is answered', () => {
  const refusals: [string, () => unknown, number, object][] = [
    [
      'text that is no image',
      () => ({ base64: Buffer.from('hello, this is text').toString('base64') }),
      422,
      { reason: 'image_format' },
    ],
    ['a picture of 100 megapixels', () => ({ base64: HUGE }), 422, { reason: 'image_too_large' }],
    ['a private address', () => ({ url: 'http://10.0.0.1/photo.jpg' }), 422, { reason: 'url_blocked' }],
    ['neither url nor base64', () => ({}), 400, {}],
  ];

  test.each(refusals)('%s', async (_what, body, status, extras) => {
    const answer = await identify(body());
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ success: false, ...extras });
    expect(await rowsOf(await base64Of(4))).not.toHaveLength(0);
  });

  test('a call without a key', async () => {
    const answer = await identify({ base64: 'AAAA' }, {});
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ success: false, error: 'unauthorized' });
  });
});

describe('The command line beside the running service', () => {
  test('tells that every image is embedded', async () => {
    expect(await runLoupe(settings, 'embeddings', 'status')).toMatchObject({
      pending: 0,
      failed: 0,
      done: PRODUCTS,
    });
  });
});

test('every metric of the dashboard and of the alerts is one that the processes tell', async () => {
  const told = new Set<string>();
  for (const { url } of processes) {
    // A second worker on one machine may have no port.
    if (url === '') continue;
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, name] of text.matchAll(/^(\w+)[{ ]/gm)) told.add(name ?? '');
  }
  const folder = join(REPOSITORY_ROOT, 'docs/operations');
  const files = ['grafana-dashboard.json', 'prometheus-alerts.yaml', 'kubernetes/worker.yaml'];
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const named = new Set(
    texts.flatMap((text) => text.match(/\b(loupe|nodejs|process)(_[a-z0-9]+){2,}\b/g) ?? []),
  );
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !told.has(name))).toEqual([]);
});
