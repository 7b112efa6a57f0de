import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { generateBundle, photoOfProduct, productId } from '../../scripts/lab/generator/generate-bundle';
import { REPOSITORY_ROOT, runLoupe } from '../../scripts/lab/service-processes';
import { newInstallation } from '../support/installation';
import { closed, listening } from '../support/local-server';
import { RunningInstallation } from './running-installation';

/**
 * The whole path from a photo to catalog rows, with nothing faked: real processes, the bundled model, a generated
 * catalog. On the embedded default one process does it all; on PostgreSQL and Redis an api and two workers do.
 */
const SEED = 5;
const PRODUCTS = 8;

const taken: Promise<Buffer>[] = [];
const photo = (index: number): Promise<Buffer> => {
  taken[index] ??= photoOfProduct({ seed: SEED, index, photoSeed: 1, level: 1, size: 400 });
  return taken[index];
};
const host = createServer(async (_request, response) => response.end(await photo(2)));
let hostAddress: string;
let running: RunningInstallation;

beforeAll(async () => {
  hostAddress = await listening(host);
  const settings = { IMAGE_FETCH_ALLOW: hostAddress, RATE_PER_SECOND: '0', CONFIDENCE_FLOOR: '0' };
  running = await RunningInstallation.start(await newInstallation(settings), ['api', 'worker', 'worker']);
  const bundle = join(running.folder, 'bundle');
  await generateBundle({ seed: SEED, products: PRODUCTS, out: bundle, images: true });
  await running.loupe('catalog', 'import', bundle);
}, 180_000);

afterAll(async () => {
  await running?.stop();
  await closed(host);
}, 60_000);

const base64Of = async (index: number) => ({ base64: (await photo(index)).toString('base64') });

async function rowsOf(body: object): Promise<{ id: string; confidence: number }[]> {
  const answer = await running.api().identify(body);
  expect(answer.status).toBe(200);
  return answer.body.data.map(({ id, confidence }) => ({ id, confidence }));
}

/** The same rows, confidences up to rounding: a network sums in another order where it embeds several views together. */
const nearly = (rows: readonly { id: string; confidence: number }[]) =>
  rows.map(({ id, confidence }) => ({ id, confidence: expect.closeTo(confidence, 5) }));

test('a photo finds its item, and is charged', async () => {
  const { body } = await running.api().identify({ ...(await base64Of(6)), includes: ['pricing'] });
  expect(body).toMatchObject({ credits_used: 10, data: [{ id: productId(SEED, 6) }, ...body.data.slice(1)] });
});

test('an address finds what its bytes find', async () => {
  const rows = await rowsOf({ url: `http://${hostAddress}/photo.jpg` });
  expect(rows.map(({ id }) => id)).toContain(productId(SEED, 2));
  expect(rows).toEqual(nearly(await rowsOf(await base64Of(2))));
});

test('each of many calls at once is given the answer to its own photo', async () => {
  const bodies = await Promise.all(Array.from({ length: PRODUCTS }, (_, index) => base64Of(index)));
  const together = await Promise.all(bodies.map(rowsOf));
  for (const [index, body] of bodies.entries()) expect(together[index]).toEqual(nearly(await rowsOf(body)));
  expect(new Set(together.map(([first]) => first?.id)).size).toBeGreaterThan(PRODUCTS / 2);
}, 60_000);

test('a command in a process of its own works beside the service', async () => {
  const status = await runLoupe(running.settings, 'embeddings', 'status');
  expect(status).toMatchObject({ pending: 0, failed: 0, done: PRODUCTS });
});

test('every metric of the dashboard and of the alerts is one that the processes tell', async () => {
  const told = new Set<string>();
  for (const { url } of running.processes) {
    // A second worker on one machine may have no port.
    if (url === '') continue;
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, name] of text.matchAll(/^(\w+)[{ ]/gm)) told.add(name ?? '');
  }
  const files = ['grafana-dashboard.json', 'prometheus-alerts.yaml', 'kubernetes/worker.yaml'];
  const texts = files.map((file) => readFile(join(REPOSITORY_ROOT, 'docs/operations', file), 'utf8'));
  const named = new Set(
    (await Promise.all(texts)).flatMap(
      (text) => text.match(/\b(loupe|nodejs|process)(_[a-z0-9]+){2,}\b/g) ?? [],
    ),
  );
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !told.has(name))).toEqual([]);
});
