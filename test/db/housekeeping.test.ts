import { Readable } from 'node:stream';
import { PostgresStoredImageIndex } from '../../db/catalog/stored-image-index';
import { rowsOf } from '../../db/core/sql';
import { LocalImageStore } from '../../db/files/local-image-store';
import { Housekeeping, type RetentionRule } from '../../scripts/composition/housekeeping';
import { LogSink } from '../support/log-sink';
import { temporaryFolder } from '../support/temporary-folder';
import { DAY_MS, HOUR_MS, useTwoProcesses } from './stores';

const { clock, database, here, there, owner } = useTwoProcesses();

test('one of two processes that ask at the same time gets the turn, and none before the interval is over', async () => {
  const turns = async () => {
    const claims = [here(), there()].map(({ housekeeping }) => housekeeping.claim('a task', HOUR_MS));
    return (await Promise.all(claims)).filter(Boolean).length;
  };
  expect(await turns()).toBe(1);
  clock.at += HOUR_MS - 1;
  expect(await turns()).toBe(0);
  clock.at += 1;
  expect(await turns()).toBe(1);
});

test('a retention rule runs until nothing has expired or the process ends, and a failing rule does not stop the others', async () => {
  let left = 1_001;
  const stop = new AbortController();
  const failing: RetentionRule = { kind: 'failing', sweep: () => Promise.reject(new Error('away')) };
  const rule: RetentionRule = {
    kind: 'things',
    sweep: async () => {
      const count = Math.min(left, 2);
      left -= count;
      if (left === 1_000) stop.abort();
      return count;
    },
  };
  const housekeeping = new Housekeeping(here().housekeeping, [failing, rule], new LogSink().logger);
  await housekeeping.run();
  expect(housekeeping.removed).toEqual({ failing: 0, things: 1_001 });
  left = 1;
  await housekeeping.run();
  expect(left).toBe(1);
  left = 1_002;
  clock.at += HOUR_MS;
  await housekeeping.run(stop.signal);
  expect(housekeeping.removed).toEqual({ failing: 0, things: 1_003 });
});

test('expired idempotent calls are deleted, oldest first, no more than the limit', async () => {
  const { accountId } = await owner();
  for (const [key, ms] of Object.entries({ open: 4, over: 2, oldest: 1 })) {
    const call = { accountId, key, fingerprint: Buffer.alloc(32) };
    await here().idempotency.claim(call, clock.now(), clock.in(ms));
  }
  clock.at += 3;
  for (const kept of [['open', 'over'], ['open']]) {
    expect(await here().housekeeping.deleteBefore('idempotent_calls', clock.now(), 1)).toBe(1);
    expect(await database.knex('idempotent_calls').orderBy('key').pluck('key')).toEqual(kept);
  }
});

describe('stored images', () => {
  const GRACE_MS = 7 * DAY_MS;
  let images: LocalImageStore;
  let owned: string;
  let unowned: string;

  beforeEach(async () => {
    images = new LocalImageStore(temporaryFolder());
    owned = await images.put(Buffer.from('owned'), 'jpg');
    unowned = await images.put(Buffer.from('not'), 'jpg');
    await rowsOf(database.knex)`TRUNCATE unowned_images, catalog_stored_images`;
    await database.knex('catalog_stored_images').insert([
      { digest: 'd1', address: owned },
      { digest: 'd2', address: unowned },
    ]);
    await name([owned]);
  });

  /** Makes the rows name exactly these images. */
  const name = (addresses: string[]) =>
    rowsOf(database.knex)`INSERT INTO categories (id, name, hierarchy, name_fields, images)
      VALUES ('handbags', 'Handbags', '{}', '{}', ${addresses}::text[])
      ON CONFLICT (id) DO UPDATE SET images = excluded.images`;

  const stored = (): Promise<string[]> => Readable.from(images.addresses()).toArray();

  const collect = async () =>
    here().housekeeping.collectImages(await stored(), clock.in(-GRACE_MS), async (addresses) => {
      for (const address of addresses) await images.remove(address);
    });

  test('that no row names are removed after the whole grace period, which restarts when a row names them', async () => {
    await collect();
    clock.at += 6 * DAY_MS;
    await name([owned, unowned]);
    await collect();
    await name([owned]);
    clock.at += 2 * DAY_MS;
    expect(await collect()).toBe(0);
    clock.at += GRACE_MS;
    expect(await collect()).toBe(0);
    clock.at += 1;
    expect(await collect()).toBe(1);
    expect(await stored()).toEqual([owned]);
    expect(await database.knex('catalog_stored_images').pluck('address')).toEqual([owned]);
  });

  test('are kept while an import runs, which may be about to name them', async () => {
    await collect();
    clock.at += 8 * DAY_MS;
    const running = { holder: 'h', host: 'host', process_id: 1, heartbeat_at: clock.now() };
    await database.knex('catalog_import_lock').insert(running);
    expect(await collect()).toBe(0);
    await database.knex('catalog_import_lock').delete();
    expect(await collect()).toBe(1);
  });

  // contract 13.5
  test('that are being removed do not exist for a call that starts to name them', async () => {
    await collect();
    clock.at += 8 * DAY_MS;
    const index = new PostgresStoredImageIndex(database.knex);
    let size: Promise<number | null> = Promise.resolve(0);
    await here().housekeeping.collectImages([unowned], clock.now(), async () => {
      size = index.keep([unowned]).then(() => images.size(unowned));
      await images.remove(unowned);
    });
    expect(await size).toBeNull();
  });
});
