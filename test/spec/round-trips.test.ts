import { makeSearchSnapshot } from '../../db/catalog/search/make-snapshot';
import { type Embedder, type EmbeddingRepository, type NeighbourIndex, PORTS } from '../../models/ports';
import type { ModelManifest } from '../../models/vision/embedding-model';
import { ForegroundLoad } from '../../workers/foreground-load';
import { VisionPipeline } from '../../workers/pipeline';
import { RecallSampler } from '../../workers/recall-sampler';
import type { ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** Statements that a call makes: each is a journey to the database, and they are most of what a catalog call costs. */
const service = useService();

interface Statement {
  readonly sql: string;
  readonly options?: { readonly name?: string };
}
type Call = (api: ApiClient) => Promise<{ readonly status: number }>;

const BAG = 'product_birkin_croc';

/** What a call asks of the database once the small tables are known, without the background work that may come between. */
async function statementsOf(api: ApiClient, call: Call, count: number): Promise<readonly Statement[]> {
  expect((await call(api)).status).toBe(200);
  for (let tries = 1; ; tries += 1) {
    const statements: Statement[] = [];
    const listen = (statement: Statement) => void statements.push(statement);
    service.knex.on('query', listen);
    const { status } = await call(api).finally(() => service.knex.removeListener('query', listen));
    expect(status).toBe(200);
    if (statements.length <= count || tries === 20) return statements;
  }
}

describe('a call of the catalog', () => {
  const numbers = Array(100).keys();
  beforeAll(() => makeSearchSnapshot(service.knex));

  test.each<[string, number, Call]>([
    ['an item', 2, (api) => api.item(BAG)],
    ['an item with prices', 2, (api) => api.item(BAG, 'taxonomy,pricing')],
    ['several items', 2, (api) => api.items({ ids: [BAG, 'brand_hermes'], includes: ['pricing'] })],
    ['a page', 2, (api) => api.query({})],
    ['a page with prices', 2, (api) => api.query({ includes: ['taxonomy', 'pricing'] })],
    ['a page of the taxonomy', 2, (api) => api.query({ query: 'hermes', taxonomy_node: 'brand' })],
    ['a page of v1', 2, (api) => api.v1({ brand: 'brand_hermes' })],
    ['a page by name', 2, (api) => api.query({ sort: 'name_asc', page: 1, page_size: 2 })],
    [
      'a page by a rare value',
      2,
      (api) => api.query({ filters: [{ field: 'brand', include: ['brand_hermes'] }] }),
    ],
    ['a text', 3, (api) => api.query({ query: `hermes birkn ${numbers.next().value}` })],
    ['a text that was sent before', 2, (api) => api.query({ query: 'hermes birkn' })],
    // contract 5.11
    ['a suggestion by the beginning of names', 2, (api) => api.suggest({ query: 'h', size: 1 })],
    ['a suggestion by a word within names', 2, (api) => api.suggest({ query: 'vuit', size: 1 })],
    ['a suggestion by a misspelt word', 3, (api) => api.suggest({ query: 'hermse', size: 1 })],
  ])('for %s takes %d statements, all prepared, with a limited account too', async (_call, count, ask) => {
    for (const api of [service.api, (await service.newKey({ credits: 1000 })).api]) {
      const statements = await statementsOf(api, ask, count);
      const unnamed = statements.filter(({ options }) => !options?.name);
      expect([statements.length, unnamed.map(({ sql }) => sql)]).toEqual([count, []]);
    }
  });
});

/** With the statements of the worker, whose model says the same of every photo. */
describe('an identification', () => {
  let certain: ModelManifest['certain'];

  beforeEach(() => {
    const embeddings = service.resolve(PORTS.EmbeddingRepository);
    const live: EmbeddingRepository['live'] = async (stamp) => {
      const version = await embeddings.live(stamp);
      return version && { ...version, manifest: { ...version.manifest, certain } };
    };
    const embed = async () => [Float32Array.of(1, 0, 0, 0)];
    const decode = async () => ({ pixels: Buffer.alloc(3), width: 1, height: 1 });
    const pipeline = new VisionPipeline(
      { live } as Partial<EmbeddingRepository> as EmbeddingRepository,
      { forVersion: async () => ({ embed, decode }) as Partial<Embedder> as Embedder },
      service.resolve(PORTS.NeighbourIndex),
      new ForegroundLoad(),
      new RecallSampler({} as NeighbourIndex, service.log.logger, 0),
      0,
    );
    jest
      .spyOn(service.queue, 'neighbours')
      .mockImplementation((request) => pipeline.neighbours({ ...request, queueMs: 0 }));
  });

  const SURE = [[BAG, 0.01]] as const;
  const UNSURE = [
    ['product_neverfull_monogram', 0.4],
    ['product_neverfull_damier', 0.401],
  ] as const;
  const PRICES = { includes: ['pricing'] };

  test.each<[string, readonly (readonly [string, number])[], object, string | undefined, number]>([
    ['that is sure', SURE, {}, BAG, 5],
    ['that is sure, with prices', SURE, PRICES, BAG, 5],
    ['of a taxonomy row, with prices, explained', UNSURE, { ...PRICES, explain: true }, 'model_neverfull', 8],
    ['of nothing', [], {}, undefined, 5],
  ])('%s takes so many statements: %#', async (_answer, seen, asked, first, count) => {
    const { id } = await service.liveVersion();
    await service.knex(`embeddings_${id}`).delete();
    for (const [product, distance] of seen) {
      const vectors = [Float32Array.of(1 - distance, Math.sqrt(1 - (1 - distance) ** 2), 0, 0)];
      const imageId = await service.imageOf(product);
      await service.resolve(PORTS.EmbeddingRepository).store(id, [{ imageId, vectors }]);
    }
    const { api } = await service.newKey({ credits: 1000 });
    const body = { ...service.photo, ...asked };
    expect((await api.identify(body)).body.data[0]?.id).toBe(first);
    // An account without a limit has nothing held, and so nothing to release.
    for (const [by, most, rule] of [
      [api, count],
      [service.api, first === undefined ? count - 2 : count - 1],
      // What is found by the first view, but is not certain, is searched twice, but only the last time in the database.
      [api, count, { similarity: 0.8, margin: 0.1 }],
    ] as const) {
      certain = rule;
      expect(await statementsOf(by, (client) => client.identify(body), most)).toHaveLength(most);
    }
  });

  // contract 14.10
  test('is answered under the calibration that is live when the call comes', async () => {
    const embeddings = service.resolve(PORTS.EmbeddingRepository);
    const { id, calibration } = await service.liveVersion();
    if (!calibration) throw new Error('the fixture has no calibration');
    const answered = async () => (await service.api.identify(service.photo)).body.results > 0;
    await embeddings.store(id, [
      { imageId: await service.imageOf(BAG), vectors: [Float32Array.of(1, 0, 0, 0)] },
    ]);
    for (const [floor, isAnswered] of [
      [calibration.floor, true],
      [1, false],
      [calibration.floor, true],
    ] as const) {
      await embeddings.recalibrate(id, { ...calibration, floor });
      expect(await answered()).toBe(isAnswered);
    }
  });
});
