import { SCOPES } from '../../models/access/api-key';
import { Random } from '../../models/random';
import { processEnvironment } from '../../scripts/config';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from '../support/api-client';
import type { Installation } from '../support/installation';
import { ADMIN_TOKEN, OperatorClient } from '../support/operator-client';
import { layoutInstallation } from './layout-installation';

/**
 * Two processes on one database, and changes over HTTP by either while calls to both are under way: two APIs on
 * PostgreSQL and Redis, else two services that share a data folder. `INTERLEAVINGS=10000` plays that many,
 * `INTERLEAVING_SEED` another game.
 */
const { INTERLEAVINGS = '100', INTERLEAVING_SEED = '21' } = processEnvironment();
const TURNS = Number(INTERLEAVINGS);
const START_MS = 180_000;
/** Of the slowest machine. */
const TURN_MS_MAX = 2_000;

const CATEGORY = 'handbags';
const BAG = 'product_one';

let installation: Installation;
const processes: ServiceProcess[] = [];
let operators: readonly OperatorClient[];
let accountId: string;
let writerKey: string;

beforeAll(async () => {
  installation = await layoutInstallation({ ADMIN_TOKEN, UNKNOWN_KEYS_PER_MINUTE: '0' });
  const { settings } = installation;
  const role = settings['REDIS_URL'] === undefined ? {} : { ROLE: 'api' };
  processes.push(...(await Promise.all([1, 2].map(() => startProcess({ ...settings, ...role })))));
  operators = processes.map(({ url }) => new OperatorClient(() => url));
  accountId = await first(operators).account(null);
  const wanted = { name: 'writer', versions: ['v1', 'v2', 'v3'], scopes: SCOPES };
  const made = await first(operators).post<{ secret: string }>(`/accounts/${accountId}/keys`, wanted);
  writerKey = made.body.secret;
  const { body } = await first(clients(writerKey)).write([
    category('Bags of turn 0'),
    { entities: { id: 'brand_one', kind: 'brand', name: 'One', category: CATEGORY } },
    bag(0),
  ]);
  expect(body).toMatchObject({ accepted: 3, rejected: 0 });
}, START_MS);

afterAll(async () => {
  for (const each of processes) await each.stop();
  await installation?.remove();
}, 60_000);

const category = (name: string) => ({
  categories: { id: CATEGORY, name, hierarchy: ['brand'], name_fields: ['brand'] },
});

const bag = (popularity: number) => ({
  products: { id: BAG, category: CATEGORY, attributes: { brand: 'brand_one' }, popularity },
});

/** A client of each process. */
const clients = (key: string) => processes.map(({ url }) => new ApiClient(url, key));

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('there is none');
  return item;
}

/** What stands now, as whoever asks must be told from the moment on when a change has been answered. */
interface Standing {
  key: { readonly id: string; readonly secret: string };
  name: string;
  nameBefore: string;
  exists: boolean;
  popularity: number;
}

/** A change through the process `at`. */
type Change = (at: number, standing: Standing, turn: number) => Promise<void>;

const CHANGES: readonly Change[] = [
  async function revokeKey(at, standing) {
    await operators[at]?.revoke(standing.key.id);
    const answers = await Promise.all(clients(standing.key.secret).map((api) => api.item(BAG)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    standing.key = await newKey(at);
  },
  async function renameCategory(at, standing, turn) {
    standing.nameBefore = standing.name;
    standing.name = `Bags of turn ${turn}`;
    await write(at, category(standing.name));
  },
  async function deleteOrRestoreProduct(at, standing) {
    standing.exists = !standing.exists;
    if (standing.exists) await write(at, bag(standing.popularity));
    else expect((await clients(writerKey)[at]?.remove(BAG))?.status).toBe(200);
  },
  async function changeProduct(at, standing, turn) {
    if (!standing.exists) return;
    standing.popularity = turn;
    await write(at, bag(turn));
  },
];

async function newKey(at: number): Promise<Standing['key']> {
  const operator = operators[at] ?? first(operators);
  return operator.key(accountId);
}

async function write(at: number, ...lines: readonly object[]): Promise<void> {
  const answer = await clients(writerKey)[at]?.write(lines);
  expect(answer?.body).toMatchObject({ accepted: lines.length, rejected: 0 });
}

/** Asks one process of all that can change. */
async function expectSeen(api: ApiClient, { name, nameBefore, exists, popularity }: Standing): Promise<void> {
  const item = await api.item(BAG);
  expect(item.status).toBe(exists ? 200 : 404);
  if (exists) expect(item.body.data[0]?.popularity).toBe(popularity);
  const page = await api.query({ category_id: name, page_size: 1 });
  expect([page.status, page.body.total_results]).toEqual([200, exists ? 1 : 0]);
  expect((await api.query({ category_id: nameBefore, page_size: 1 })).status).toBe(400);
}

// contract 14.12, 9.4
test(
  'what one process changes is seen by the next call to the other, whatever calls are under way',
  async () => {
    const random = new Random(Number(INTERLEAVING_SEED), 'interleavings');
    const standing: Standing = {
      ...{ key: await newKey(0), name: 'Bags of turn 0', nameBefore: 'Bags of nobody' },
      ...{ exists: true, popularity: 0 },
    };
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const disturbers = clients(writerKey)
        .filter(() => random.chance(0.5))
        .map((api) =>
          random.chance(0.5) ? api.item(BAG) : api.query({ category_id: CATEGORY, page_size: 1 }),
        );
      const at = random.integer(0, 1);
      await random.pick(CHANGES)(at, standing, turn);
      const [one, two] = clients(standing.key.secret);
      for (const api of at === 0 ? [two, one] : [one, two]) if (api) await expectSeen(api, standing);
      await Promise.all(disturbers);
    }
  },
  START_MS + TURNS * TURN_MS_MAX,
);

test('a kind that the catalog did not have is a facet of v1 with the next call to the other process', async () => {
  await write(0, bag(1));
  const found = async () => {
    const answer = await clients(writerKey)[1]?.v1({ clasp: 'clasp_gold', page_size: '1' });
    return answer?.body.total_results;
  };
  expect(await found()).toBe(1);
  await write(0, { entities: { id: 'clasp_gold', kind: 'clasp', name: 'Gold', category: CATEGORY } });
  expect(await found()).toBe(0);
});

test('a tag that is added is known with the next call to the other process', async () => {
  const filters = [{ field: 'tags', include: ['edition:of_one'] }];
  const status = async () => (await clients(writerKey)[1]?.query({ filters }))?.status;
  expect(await status()).toBe(400);
  await write(0, { tags: { id: 'edition:of_one', name: 'Of one', order: 1, categories: [CATEGORY] } });
  expect(await status()).toBe(200);
});
