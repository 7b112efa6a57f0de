import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Knex } from 'knex';
import { createApp } from '../../api/app';
import { createServer } from '../../api/server';
import { rowsOf, sql } from '../../db/core/sql';
import { type AccountRepository, PORTS } from '../../models/ports';
import { Random } from '../../models/random';
import { apiServices, apiSettings } from '../../scripts/composition/api-wiring';
import { type Loupe, openLoupe } from '../../scripts/composition/container';
import { processEnvironment } from '../../scripts/config';
import { ApiClient } from '../support/api-client';
import { FIXTURE } from '../support/fixture-data';
import { type TestKey, useService } from '../support/service';

/**
 * Two processes' worth of stores on one database, and changes made through either while calls to both are under way.
 * `INTERLEAVINGS=10000` plays that many, `INTERLEAVING_SEED` another game.
 */
const { INTERLEAVINGS = '400', INTERLEAVING_SEED = '21' } = processEnvironment();
// Its own, as the catalog is changed here.
const service = useService({}, {}, { ...FIXTURE, name: 'seen_at_once' });
let other: Loupe;
let server: Server;
let urls: readonly [string, string];
let databases: readonly [Knex, Knex];

beforeAll(async () => {
  other = await openLoupe(
    service.config,
    { answersQueues: false, servesHttp: true },
    { [PORTS.Clock]: service.clock, [PORTS.VisionQueue]: service.queue },
  );
  const settings = apiSettings(service.config, other, () => 'ready');
  server = createServer(createApp(apiServices(other.container), settings));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  urls = [service.url, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  databases = [service.resolve<Knex>(PORTS.Knex), other.database.knex];
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await other.close();
});

const BAG = 'product_speedy_epi';
const CATEGORY = 'handbags';

/** What stands now, as whoever asks must be told from the moment on when a change has been made. */
interface Standing {
  key: TestKey;
  name: string;
  exists: boolean;
  popularity: number;
}

/** A change through one of the databases; resolves when it has been made. */
type Change = (knex: Knex, standing: Standing, turn: number) => Promise<void>;

const CHANGES: readonly Change[] = [
  async function revoke(knex, standing) {
    const accounts = (knex === databases[0] ? service : other.container).resolve<AccountRepository>(
      PORTS.AccountRepository,
    );
    await accounts.revokeKey(standing.key.keyId);
    expect(await statuses(standing.key.key)).toEqual([401, 401]);
    standing.key = await service.newKey({ credits: 1_000_000 });
  },
  async function renameCategory(knex, standing, turn) {
    standing.name = `Bags of turn ${turn}`;
    await rowsOf(knex, sql`UPDATE categories SET name = ${standing.name} WHERE id = ${CATEGORY}`);
  },
  async function deleteOrRestore(knex, standing) {
    standing.exists = !standing.exists;
    await rowsOf(
      knex,
      standing.exists
        ? sql`INSERT INTO catalog_rows SELECT * FROM kept_rows`
        : sql`DELETE FROM catalog_rows WHERE id = ${BAG}`,
    );
  },
  async function changeRow(knex, standing, turn) {
    standing.popularity = turn;
    await rowsOf(knex, sql`UPDATE catalog_rows SET popularity = ${turn} WHERE id = ${BAG}`);
    await rowsOf(knex, sql`UPDATE kept_rows SET popularity = ${turn}`);
  },
];

const clients = (key: string) => urls.map((url) => new ApiClient(url, key));

const statuses = (key: string) => Promise.all(clients(key).map(async (api) => (await api.item(BAG)).status));

/** Asks both of all that can change. */
async function expectSeen({ key, name, exists, popularity }: Standing): Promise<void> {
  for (const api of clients(key.key)) {
    const item = await api.item(BAG);
    expect(item.status).toBe(exists ? 200 : 404);
    if (exists) expect(item.body.data[0]?.popularity).toBe(popularity);
    const page = await api.query({
      category_id: name,
      page_size: 1,
      filters: [{ field: 'brand', include: ['x'] }],
    });
    expect(page.status).toBe(200);
  }
}

// contract 14.12, 9.4
test('what one process changes is seen by the next call to the other, whatever calls are under way', async () => {
  const [knex] = databases;
  await rowsOf(knex, sql`CREATE TABLE kept_rows AS SELECT * FROM catalog_rows WHERE id = ${BAG}`);
  const [row] = await rowsOf<{ popularity: number }>(knex, sql`SELECT popularity FROM kept_rows`);
  const random = new Random(Number(INTERLEAVING_SEED), 'interleavings');
  const standing: Standing = {
    key: await service.newKey({ credits: 1_000_000 }),
    name: CATEGORY,
    exists: true,
    popularity: row?.popularity ?? 0,
  };
  for (let turn = 1; turn <= Number(INTERLEAVINGS); turn += 1) {
    const disturbers = clients(standing.key.key)
      .filter(() => random.chance(0.5))
      .map((api) =>
        random.chance(0.5) ? api.item(BAG) : api.query({ category_id: CATEGORY, page_size: 1 }),
      );
    const change = random.pick(CHANGES);
    await change(random.pick(databases), standing, turn);
    await expectSeen(standing);
    await Promise.all(disturbers);
  }
}, 900_000);

test('a kind that the catalog did not have is a facet of v1 with the next call to the other process', async () => {
  const api = new ApiClient(urls[1], service.key.key);
  expect((await api.v1({ clasp: 'clasp_gold', page_size: '1' })).body.results).toBe(1);
  await rowsOf(
    databases[0],
    sql`INSERT INTO entities (id, kind, name, category) VALUES ('clasp_gold', 'clasp', 'Gold', ${CATEGORY})`,
  );
  expect((await api.v1({ clasp: 'clasp_gold', page_size: '1' })).body.results).toBe(0);
});

test('a tag that is added is known with the next call to the other process', async () => {
  const api = new ApiClient(urls[1], service.key.key);
  const tagged = () => api.query({ filters: [{ field: 'tags', include: ['edition:of_one'] }] });
  expect((await tagged()).status).toBe(400);
  await rowsOf(
    databases[0],
    sql`INSERT INTO tags (id, "group", name) VALUES ('edition:of_one', 'edition', 'Of one')`,
  );
  expect((await tagged()).status).toBe(200);
});
