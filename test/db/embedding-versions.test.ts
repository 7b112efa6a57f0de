import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { UNCALIBRATED } from '../../models/vision/confidence';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';
import { DIMENSIONS, showImages, VIEWS, viewsFrom } from './pictured-products';

/** Each test continues where the previous one ended. */
describe('embedding versions', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  /** Of another process. */
  let there: PostgresEmbeddingRepository;
  const manifest = modelManifest('eye', DIMENSIONS, VIEWS);
  const nextViews = viewsFrom(1);

  beforeAll(async () => {
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    there = new PostgresEmbeddingRepository(await database.connect(), 20_000);
  });

  async function live(): Promise<EmbeddingVersion> {
    const found = await embeddings.live();
    if (!found) throw new Error('no version is live');
    return found;
  }
  const all = () => [embeddings, there, embeddings, there];
  const stored = (imageId: number) => ({ imageId, vectors: nextViews() });

  test('processes that start together on an empty database agree on one live version', async () => {
    expect(await embeddings.live()).toBeNull();
    const made = await Promise.all(all().map((each) => each.create(manifest)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await live()).toEqual(made[0]);
    expect(made[0]).toMatchObject({ model: 'eye@1.0.0', state: 'live', manifest });
    const calibration = { evaluation: null, previousCalibration: null, calibratedAt: null };
    expect(await embeddings.versions()).toEqual([
      { ...made[0], maintained: true, builtAt: null, ...calibration },
    ]);
  });

  test('keep one set of vectors per image when several processes store it at the same time', async () => {
    const { id } = await live();
    const [image = 0] = await showImages(database.knex, 1);
    await Promise.all(all().map((each) => each.store(id, [stored(image)])));
    await embeddings.store(id, [{ imageId: image, vectors: nextViews(1) }]);
    expect(await database.knex(`embeddings_${id}`).where({ image_id: image })).toHaveLength(1);
  });

  test('that are adapted have a map; the same map is the same version, a different one waits until it is built', async () => {
    const adapted = {
      manifest: modelManifest('mapped', 2, 1),
      adaptation: { from: 1, products: 2, pictures: 4, shrinkage: 2, power: 0.5 },
      map: Float32Array.from([1, 0.25, 0.25, 3]),
      products: ['product_a', 'product_b'],
    };
    const made = await embeddings.createAdapted(adapted);
    const { adaptation } = adapted;
    expect(made).toMatchObject({ model: 'mapped@1.0.0+adapted-1', state: 'building', adaptation });
    expect(await embeddings.mapOf(made.id)).toEqual(adapted.map);
    expect(await embeddings.fittedProducts([made.id])).toEqual(new Set(adapted.products));
    expect(await embeddings.createAdapted(adapted)).toEqual(made);
    const other = { ...adapted, map: Float32Array.from([1, 0, 0, 1]) };
    await expect(embeddings.createAdapted(other)).rejects.toThrow(/prune --building/);
    await embeddings.markBuilt(made.id);
    expect(await embeddings.createAdapted(adapted)).toEqual(made);
    const second = await embeddings.createAdapted(other);
    expect(second.model).toBe('mapped@1.0.0+adapted-2');
    await embeddings.prune(made.id);
    expect(await embeddings.mapOf(made.id)).toBeNull();
    await embeddings.prune(second.id);
    expect((await embeddings.createAdapted(adapted)).model).toBe('mapped@1.0.0+adapted-3');
  });

  // contract 14.6, 14.10
  test('a call is made under the one that was live when it came, or a later one; a promotion, a rollback and a calibration are seen by the next', async () => {
    const accounts = new PostgresAccountRepository(await database.connect(), { now: () => new Date() });
    const limits = { perSecond: null, perMinute: null, concurrency: null };
    const { id: accountId } = await accounts.createAccount('caller', null);
    const hash = Buffer.alloc(32, 7);
    await accounts.createKey({ accountId, name: 'key', versions: ['v3'], test: false, limits, hash });
    const came = async () => (await accounts.callerByKeyHash(hash))?.liveStamp ?? null;
    const { id: first } = await live();
    const { id: other } = await there.create(modelManifest('other', DIMENSIONS, VIEWS));
    const under = async (stamp: string | null) => (await embeddings.live(stamp))?.id;

    expect(await embeddings.live(await came())).toBe(await embeddings.live(await came()));
    expect(await under(await came())).toBe(first);
    await there.promote(other);
    const early = await came();
    await there.promote(first);
    expect(await under(early)).toBe(first);
    await there.promote(other);
    expect(await under(await came())).toBe(other);
    expect(await under(early)).toBe(other);
    await there.promote(first);
    expect(await under(await came())).toBe(first);
    const calibration = { ...UNCALIBRATED, floor: 0.25 };
    await there.recalibrate(first, calibration);
    expect((await embeddings.live(await came()))?.manifest.calibration).toEqual(calibration);
  });
});
