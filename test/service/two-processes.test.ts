import { API_VERSIONS, SCOPES } from '../../models/access/api-key';
import { at, Random } from '../../models/random';
import { processEnvironment } from '../../scripts/config';
import { layoutInstallation } from '../faults/layout-model';
import { ADMIN_TOKEN, ApiClient, OperatorClient } from '../support/api-client';
import { type RunningInstallation, runInstallation } from '../support/installation';

/** Two APIs on servers, else two services that share a data folder. `INTERLEAVINGS=10000` makes as many changes, `INTERLEAVING_SEED` others. */
const { INTERLEAVINGS = '60', INTERLEAVING_SEED = '21' } = processEnvironment();
const TURNS = Number(INTERLEAVINGS);
/** For the slowest machine. */
const TURN_MS_MAX = 2_000;
const CATEGORY = 'handbags';
const BAG = 'product_one';
let running: RunningInstallation;
let operators: readonly OperatorClient[];
let accountId: string;
let writers: readonly ApiClient[];

beforeAll(async () => {
  const installation = await layoutInstallation({ ADMIN_TOKEN, UNKNOWN_KEYS_PER_MINUTE: '0' });
  running = await runInstallation(installation, {
    ...{ onServers: ['api', 'api'], embedded: ['all', 'all'] },
  });
  operators = running.processes.map(({ url }) => new OperatorClient(() => url));
  accountId = await at(operators, 0).account(null);
  const wanted = { versions: API_VERSIONS, scopes: SCOPES };
  writers = clients((await at(operators, 0).key(accountId, wanted)).secret);
  await write(
    0,
    category('Bags of turn 0'),
    { entities: { id: 'brand_one', kind: 'brand', name: 'One', category: CATEGORY } },
    bag(0),
    { estimates: { variant: 'variant_one', source: 'ebay', region: 'NA', A: 5 } },
  );
});
afterAll(() => running?.stop());

const clients = (key: string) => running.processes.map(({ url }) => new ApiClient(url, key));

const category = (name: string) => ({
  categories: { id: CATEGORY, name, hierarchy: ['brand'], name_fields: ['brand'] },
});

const bag = (popularity: number) => ({
  products: {
    ...{ id: BAG, category: CATEGORY, attributes: { brand: 'brand_one' }, popularity },
    variants: [{ id: 'variant_one' }],
  },
});

async function write(through: number, ...lines: readonly object[]): Promise<void> {
  const { body } = await at(writers, through).write(lines);
  expect(body).toMatchObject({ accepted: lines.length, rejected: 0 });
}

/** The current state, which every call that begins after a change was answered must see. */
interface State {
  key: { readonly id: string; readonly secret: string };
  name: string;
  nameBefore: string;
  exists: boolean;
  popularity: number;
}

const CHANGES: readonly ((through: number, state: State, turn: number) => Promise<void>)[] = [
  async function revokeKey(through, state) {
    await operators[through]?.revoke(state.key.id);
    const answers = await Promise.all(clients(state.key.secret).map((api) => api.item(BAG)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    state.key = await at(operators, through).key(accountId);
  },
  async function renameCategory(through, state, turn) {
    state.nameBefore = state.name;
    state.name = `Bags of turn ${turn}`;
    await write(through, category(state.name));
  },
  async function deleteOrRestoreProduct(through, state) {
    state.exists = !state.exists;
    if (state.exists) await write(through, bag(state.popularity));
    else expect((await at(writers, through).remove(BAG)).status).toBe(200);
  },
  async function changeProduct(through, state, turn) {
    if (!state.exists) return;
    state.popularity = turn;
    await write(through, bag(turn));
  },
];

async function expectSeen(api: ApiClient, { name, nameBefore, exists, popularity }: State): Promise<void> {
  const item = await api.item(BAG);
  expect(item.status).toBe(exists ? 200 : 404);
  if (exists) expect(item.body.data[0]?.popularity).toBe(popularity);
  const page = await api.query({ category_id: name, page_size: 1 });
  expect([page.status, page.body.total_results]).toEqual([200, exists ? 1 : 0]);
  expect((await api.query({ category_id: nameBefore, page_size: 1 })).status).toBe(400);
}

// contract 14.12, 9.4
test(
  'what one process changes is seen by the next call to the other, whatever calls run',
  async () => {
    const random = new Random(Number(INTERLEAVING_SEED), 'interleavings');
    const state: State = {
      ...{ key: await at(operators, 0).key(accountId), name: 'Bags of turn 0', nameBefore: 'Bags of nobody' },
      ...{ exists: true, popularity: 0 },
    };
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const disturbers = writers
        .filter(() => random.chance(0.5))
        .map((api) =>
          random.chance(0.5) ? api.item(BAG) : api.query({ category_id: CATEGORY, page_size: 1 }),
        );
      const through = random.integer(0, 1);
      await random.pick(CHANGES)(through, state, turn);
      const both = clients(state.key.secret);
      for (const api of through === 0 ? both.reverse() : both) await expectSeen(api, state);
      await Promise.all(disturbers);
    }
    await write(0, bag(1));
  },
  180_000 + TURNS * TURN_MS_MAX,
);

// contract 14.12
test('a new kind or tag is known to the next call to the other process', async () => {
  const filters = [{ field: 'tags', include: ['edition:of_one'] }];
  const seen = async () => [
    (await at(writers, 1).v1({ clasp: 'clasp_gold', page_size: '1' })).body.total_results,
    (await at(writers, 1).query({ filters })).status,
  ];
  // An unknown facet of v1 is ignored.
  expect(await seen()).toEqual([1, 400]);
  await write(
    0,
    { entities: { id: 'clasp_gold', kind: 'clasp', name: 'Gold', category: CATEGORY } },
    { tags: { id: 'edition:of_one', name: 'Of one', order: 1, categories: [CATEGORY] } },
  );
  expect(await seen()).toEqual([0, 200]);
});
