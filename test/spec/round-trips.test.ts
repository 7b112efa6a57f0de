import type { Knex } from 'knex';
import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { type EmbeddingRepository, type NeighbourIndex, PORTS } from '../../models/ports';
import { PhotoMemory } from '../../workers/photo-memory';
import { PhotosInWork } from '../../workers/photos-in-work';
import { VisionPipeline } from '../../workers/pipeline';
import { RecallSampler } from '../../workers/recall-sampler';
import { ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** Statements that a call makes: each is a journey to the database, and they are most of what a catalog call costs. */
const service = useService();

interface Statement {
  readonly sql: string;
  /** Under which it is prepared. */
  readonly options?: { readonly name?: string };
}

const BAG = 'product_birkin_croc';

/** What a process looks at from time to time comes between some of so many calls. */
const CALLS = 5;

/** What a call asks of the database once the small tables are known. */
async function statementsOf(call: () => Promise<{ readonly status: number }>): Promise<readonly Statement[]> {
  expect((await call()).status).toBe(200);
  const calls: (readonly Statement[])[] = [];
  for (let made = 0; made < CALLS; made++) calls.push(await statementsOfOne(call));
  return calls.reduce((least, each) => (each.length < least.length ? each : least));
}

async function statementsOfOne(call: () => Promise<{ readonly status: number }>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const listen = (statement: Statement) => void statements.push(statement);
  const knex = service.resolve<Knex>(PORTS.Knex);
  knex.on('query', listen);
  try {
    expect((await call()).status).toBe(200);
  } finally {
    knex.removeListener('query', listen);
  }
  return statements;
}

const unnamed = (statements: readonly Statement[]) =>
  statements.filter(({ options }) => options?.name === undefined).map(({ sql }) => sql);

const clients = [
  ['a limited account', async () => (await service.newKey({ credits: 1000 })).api],
  ['an unlimited account', async () => service.api],
] as const;

describe.each(clients)('for %s', (_account, client) => {
  test.each([
    ['an item', (api: ApiClient) => api.item(BAG)],
    ['an item with prices', (api: ApiClient) => api.item(BAG, 'taxonomy,pricing')],
    ['a taxonomy row with prices', (api: ApiClient) => api.item('brand_hermes', 'pricing')],
    ['several items', (api: ApiClient) => api.items({ ids: [BAG, 'brand_hermes'], includes: ['pricing'] })],
  ])('%s takes two statements, both prepared', async (_call, ask) => {
    const api = await client();
    const statements = await statementsOf(() => ask(api));
    expect(statements).toHaveLength(2);
    expect(unnamed(statements)).toEqual([]);
  });

  const pages = [
    ['a page', (api: ApiClient) => api.query({})],
    ['a page with prices', (api: ApiClient) => api.query({ includes: ['taxonomy', 'pricing'] })],
    [
      'a page by a tag',
      (api: ApiClient) => api.query({ filters: [{ field: 'tags', include: ['edition:limited'] }] }),
    ],
    ['a page of v1', (api: ApiClient) => api.v1({ brand: 'brand_hermes' })],
    ['a page of v2', (api: ApiClient) => api.v2({ category: 'handbags' })],
  ] as const;

  describe('a catalog query', () => {
    beforeAll(async () => {
      await makeSearchSnapshot(service.resolve<Knex>(PORTS.Knex));
    });

    test.each([
      ...pages,
      ['a page by name', (api: ApiClient) => api.query({ sort: 'name_asc', page: 1, page_size: 2 })],
      [
        'a page by a rare value',
        (api: ApiClient) => api.query({ filters: [{ field: 'brand', include: ['brand_hermes'] }] }),
      ],
    ] as const)('%s takes two statements, both prepared', async (_call, ask) => {
      const api = await client();
      const statements = await statementsOf(() => ask(api));
      expect(statements).toHaveLength(2);
      expect(unnamed(statements)).toEqual([]);
    });

    test('a text takes three, all prepared', async () => {
      const api = await client();
      const statements = await statementsOf(() => api.query({ query: 'hermes birkn' }));
      expect(statements).toHaveLength(3);
      expect(unnamed(statements)).toEqual([]);
    });
  });
});

/** With the statements of the worker, whose model says of every photo the same. */
describe('an identification', () => {
  const { photo } = service;

  beforeAll(async () => {
    const vectors = [Float32Array.of(1, 0, 0, 0)];
    const pipeline = new VisionPipeline(
      service.resolve(PORTS.EmbeddingRepository),
      {
        forVersion: async ({ manifest }) => ({
          manifest,
          embed: async () => [vectors],
          close: async () => undefined,
        }),
        close: async () => undefined,
      },
      service.resolve<NeighbourIndex>(PORTS.NeighbourIndex),
      new PhotoMemory(0),
      new PhotosInWork(),
      new RecallSampler({} as NeighbourIndex, service.log.logger, { oneOf: 0 }),
    );
    jest
      .spyOn(service.queue, 'neighbours')
      .mockImplementation((request) => pipeline.neighbours({ ...request, queueMs: 0 }));
  });

  /** Pictures of these products alone are embedded, so far from every photo. */
  async function embedded(...products: readonly (readonly [id: string, distance: number])[]): Promise<void> {
    const knex = service.resolve<Knex>(PORTS.Knex);
    const embeddings = service.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
    const version = await embeddings.live();
    await knex(`embeddings_${version?.id}`).delete();
    for (const [id, distance] of products) {
      const image = await knex('product_images').where({ product_id: id }).orderBy('image_id').first();
      const near = 1 - distance;
      const vector = Float32Array.of(near, Math.sqrt(1 - near ** 2), 0, 0);
      await embeddings.store(version?.id ?? 0, [{ imageId: Number(image.image_id), vectors: [vector] }]);
    }
  }

  const SURE = [[BAG, 0.01]] as const;
  const UNSURE = [
    ['product_neverfull_monogram', 0.4],
    ['product_neverfull_damier', 0.401],
  ] as const;

  test.each([
    ['that is sure', SURE, {}, BAG, 7],
    ['that is sure, with prices', SURE, { includes: ['pricing'] }, BAG, 8],
    ['that is sure, explained', SURE, { explain: true }, BAG, 8],
    ['of a taxonomy row', UNSURE, {}, 'model_neverfull', 8],
    ['of a taxonomy row, with prices', UNSURE, { includes: ['pricing'] }, 'model_neverfull', 8],
    [
      'of a taxonomy row, with prices, explained',
      UNSURE,
      { includes: ['pricing'], explain: true },
      'model_neverfull',
      9,
    ],
    ['of nothing', [], {}, undefined, 6],
  ] as const)('%s takes so many statements: %#', async (_answer, seen, asked, first, most) => {
    await embedded(...seen);
    const { api } = await service.newKey({ credits: 1000 });
    const [row] = (await api.identify({ ...photo, ...asked })).body.data;
    expect(row?.id).toBe(first);
    const statements = await statementsOf(() => api.identify({ ...photo, ...asked }));
    expect(statements).toHaveLength(most);
    // An account without a limit has nothing held, and so nothing to release.
    const free = await statementsOf(() => service.api.identify({ ...photo, ...asked }));
    expect(free).toHaveLength(first === undefined ? most - 2 : most - 1);
  });
});

// contract 5.11
test.each([
  ['the beginning of names', { query: 'h', size: 1 }, 1],
  ['nothing yet', { size: 3 }, 1],
  ['a word within names', { query: 'vuit', size: 1 }, 3],
  ['a misspelt word', { query: 'hermse', size: 1 }, 6],
])('what completes %s takes so many statements, all prepared: %#', async (_typed, asked, most) => {
  const statements = await statementsOf(() => service.api.suggest(asked));
  // Beside the look-up of the key.
  expect(statements.length - 1).toBe(most);
  expect(unnamed(statements)).toEqual([]);
});

test('as many connections prepare as many statements however many rows, keys and accounts there are', async () => {
  const names = new Set<string | undefined>();
  for (const credits of [null, 100, 200]) {
    const { api } = await service.newKey({ credits });
    const statements = await statementsOf(() =>
      api.items({ ids: [BAG, `product_${credits}`, 'brand_hermes'] }),
    );
    for (const { options } of statements) names.add(options?.name);
  }
  expect(names.size).toBe(2);
});
