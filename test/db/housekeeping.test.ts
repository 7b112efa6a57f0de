import { PostgresStoredImageIndex } from '../../db/catalog/stored-image-index';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { rowsOf, sql } from '../../db/core/sql';
import { LocalImageStore } from '../../db/files/local-image-store';
import { PostgresPredictionRepository } from '../../db/predictions/prediction-repository';
import { Housekeeping, type RetentionRule } from '../../scripts/composition/housekeeping/housekeeping';
import { useDatabase } from '../support/database';
import { temporaryFolder } from '../support/temporary-folder';

jest.setTimeout(240_000);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const logger = { debug: jest.fn(), info: jest.fn(), warn: jest.fn(), error: jest.fn() };

const database = useDatabase();
let store: PostgresHousekeepingStore;

beforeAll(async () => {
  store = new PostgresHousekeepingStore(database.knex, clock);
}, 240_000);
const later = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};

test('one of two processes that ask at the same time gets the turn, and none before the interval is over', async () => {
  const other = new PostgresHousekeepingStore(await database.connect(), clock);
  const turns = () => Promise.all([store, other].map((each) => each.claim('a task', HOUR_MS)));
  expect((await turns()).filter(Boolean)).toHaveLength(1);
  later(HOUR_MS - 1);
  expect(await turns()).toEqual([false, false]);
  later(1);
  expect((await turns()).filter(Boolean)).toHaveLength(1);
});

test('a retention rule runs until nothing has expired, and a failing rule does not stop the others', async () => {
  let left = 5;
  const failing: RetentionRule = { kind: 'failing', sweep: () => Promise.reject(new Error('away')) };
  const rule: RetentionRule = {
    kind: 'things',
    sweep: async () => {
      const count = Math.min(left, 2);
      left -= count;
      return count;
    },
  };
  const housekeeping = new Housekeeping(store, [failing, rule], logger);
  await housekeeping.look();
  expect(housekeeping.removed).toEqual({ failing: 0, things: 5 });
  left = 1;
  await housekeeping.look();
  expect(left).toBe(1);
  later(HOUR_MS);
  await housekeeping.look();
  expect(housekeeping.removed).toEqual({ failing: 0, things: 6 });
});

// contract 7.12
test('predictions older than a time are deleted, oldest first, no more than the limit', async () => {
  const predictions = new PostgresPredictionRepository(database.knex);
  const record = {
    ...{
      requestId: 'r',
      accountId: 'account_a',
      test: false,
      endpoint: 'v2.vision',
      versionId: 1,
      model: 'eye@1',
    },
    ...{ imageDigests: ['d'], neighbours: [], best: null, rows: [], feedback: null },
    timings: { intakeMs: 1, queueMs: 1, embedMs: 1, neighboursMs: 1, rowsMs: 1 },
  };
  for (const [id, days] of Object.entries({ oldest: 3, old: 2, young: 1 }))
    await predictions.save(
      { ...record, id, createdAt: new Date(now.getTime() - days * DAY_MS) },
      async () => [],
    );
  const before = new Date(now.getTime() - 1.5 * DAY_MS);
  expect(await predictions.deleteBefore(before, 1)).toBe(1);
  expect(await predictions.find('oldest')).toBeNull();
  expect(await predictions.deleteBefore(before, 10)).toBe(1);
  expect(await predictions.deleteBefore(before, 10)).toBe(0);
  expect(await predictions.find('young')).not.toBeNull();
});

test('expired idempotent calls are deleted', async () => {
  await rowsOf(database.knex, sql`INSERT INTO accounts (id, name) VALUES ('account_a', 'a')`);
  for (const [key, expiresAt] of [
    ['over', new Date(now.getTime() - 1)],
    ['open', new Date(now.getTime() + 1)],
  ] as const)
    await rowsOf(
      database.knex,
      sql`INSERT INTO idempotent_calls (account_id, key, fingerprint, charge_id, leased_until, expires_at)
          VALUES ('account_a', ${key}, '\\x00', ${key}, ${now}, ${expiresAt})`,
    );
  expect(await store.deleteExpiredCalls(10)).toBe(1);
  expect(await database.knex('idempotent_calls').pluck('key')).toEqual(['open']);
});

describe('stored images', () => {
  let folder: string;
  let images: LocalImageStore;
  let owned: string;
  let unowned: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    images = new LocalImageStore(folder);
    [owned, unowned] = [
      await images.put(Buffer.from('owned'), 'jpg'),
      await images.put(Buffer.from('not'), 'jpg'),
    ];
    await rowsOf(
      database.knex,
      sql`INSERT INTO categories (id, name, hierarchy, name_fields, images)
          VALUES ('handbags', 'Handbags', '{}', '{}', ${[owned]}::text[])
          ON CONFLICT (id) DO UPDATE SET images = excluded.images`,
    );
    await rowsOf(
      database.knex,
      sql`INSERT INTO catalog_stored_images (digest, address) VALUES ('d1', ${owned}), ('d2', ${unowned})
          ON CONFLICT DO NOTHING`,
    );
  });
  afterEach(async () => {
    await rowsOf(database.knex, sql`DELETE FROM unowned_images`);
  });

  const stored = async () => {
    const addresses: string[] = [];
    for await (const address of images.addresses()) addresses.push(address);
    return addresses.sort();
  };

  /** As housekeeping does, with a grace of a week. */
  const collect = async () =>
    store.collectImages(await stored(), new Date(now.getTime() - 7 * DAY_MS), async (addresses) => {
      for (const address of addresses) await images.remove(address);
    });

  test('that no row names are removed after the whole grace period', async () => {
    expect(await collect()).toBe(0);
    later(7 * DAY_MS);
    expect(await collect()).toBe(0);
    later(1);
    expect(await collect()).toBe(1);
    expect(await stored()).toEqual([owned]);
    expect(await database.knex('catalog_stored_images').pluck('address')).toEqual([owned]);
  });

  test('that a row names again start a new grace period', async () => {
    const name = (addresses: string[]) =>
      rowsOf(database.knex, sql`UPDATE categories SET images = ${addresses}::text[] WHERE id = 'handbags'`);
    await collect();
    later(6 * DAY_MS);
    await name([owned, unowned]);
    await collect();
    await name([owned]);
    later(2 * DAY_MS);
    expect(await collect()).toBe(0);
    later(8 * DAY_MS);
    expect(await collect()).toBe(1);
  });

  test('are left alone while an import runs, which may be about to name them', async () => {
    await collect();
    later(8 * DAY_MS);
    await rowsOf(
      database.knex,
      sql`INSERT INTO catalog_import_lock (holder, host, process_id, heartbeat_at) VALUES ('h', 'host', 1, ${now})`,
    );
    expect(await collect()).toBe(0);
    await rowsOf(database.knex, sql`DELETE FROM catalog_import_lock`);
    expect(await collect()).toBe(1);
  });

  // contract 13.5
  test('that are being removed are missing for a call that starts to name them', async () => {
    await collect();
    later(8 * DAY_MS);
    const index = new PostgresStoredImageIndex(database.knex);
    let size: Promise<number | null> = Promise.resolve(0);
    await store.collectImages([unowned], now, async () => {
      size = index.keep([unowned]).then(() => images.size(unowned));
      await images.remove(unowned);
    });
    expect(await size).toBeNull();
  });
});
