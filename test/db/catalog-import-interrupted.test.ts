import { openImport } from '../../db/catalog/import/import-store';
import type { CatalogImportStore } from '../../models/ports';
import * as sample from './catalog-import-sample';
import { NO_RECORDS, picture, useImportBench, wrapped } from './catalog-import-support';

const bench = useImportBench(sample.CATALOG);

/** Changes a little of everything in many transactions, since records of the same id are written one after the other. */
const CHANGES = {
  'categories.jsonl': [{ ...sample.HANDBAGS, name: 'Bags' }],
  'tags.jsonl': [{ id: 'edition:limited', name: 'Limited' }],
  'entities.jsonl': [
    { ...sample.BIRKIN, name: 'First', parents: { brand: 'brand_new' } },
    sample.entity('brand_new', 'New'),
    { ...sample.TOGO, tags: ['edition:limited'] },
    { ...sample.CROC, tags: [] },
    { ...sample.CROC, tags: ['edition:limited', 'material:exotic'] },
    { id: 'brand_hermes', deleted: true },
  ],
  'products.jsonl': [
    { ...sample.TOGO_BAG, images: ['images/a.png'] },
    { ...sample.TOGO_BAG, images: ['images/b.png'], tags: ['edition:limited'] },
    { id: 'product_croc', deleted: true },
    sample.product('heir', 'style_croc', { variants: sample.CROC_BAG.variants }),
    sample.product('thief', 'style_croc', { variants: sample.CROC_BAG.variants }),
    sample.product('heir', 'style_croc', { variants: sample.CROC_BAG.variants.slice(1) }),
  ],
  'estimates.jsonl': [
    sample.estimate('croc_30', 7),
    sample.estimate('croc_25', 9),
    sample.estimate('togo_30', 8),
  ],
  'listings.jsonl': [{ variant: 'variant_togo_30', region: 'NA', link: 'https://shop.example/1' }],
  'images/a.png': picture('a'),
  'images/b.png': picture('b'),
};

class Killed extends Error {}

const bags = (count: number) =>
  Array.from({ length: count }, (_, position) =>
    sample.product(`p${position}`, 'style_togo', { variants: [] }),
  );

/** A target whose process dies before its write number `writes`, counted from 0. */
function dyingAt(writes: number): (target: CatalogImportStore) => CatalogImportStore {
  let done = 0;
  return (target) =>
    wrapped(target, (name) => {
      if (name !== 'transaction' && name !== 'deriveStaleRows') return null;
      if (done === writes) throw new Killed();
      done += 1;
      return null;
    });
}

describe('an import that is killed and started again', () => {
  // contract 13.8
  test('ends in the same state as an unbroken one, wherever it was killed', async () => {
    const bundle = bench.write(CHANGES);
    const unbroken = await bench.import(bundle);
    expect(unbroken.rejected).toBe(0);
    const expected = await bench.dump();
    for (let writes = 0; ; writes += 1) {
      await bench.clear();
      await bench.accept(sample.CATALOG);
      const whole = await bench.import(bundle, {}, dyingAt(writes)).catch((failure: unknown) => {
        if (!(failure instanceof Killed)) throw failure;
      });
      if (whole) {
        expect(writes).toBeGreaterThanOrEqual(10);
        break;
      }
      expect(await bench.import(bundle)).toEqual(unbroken);
      expect(await bench.dump()).toEqual(expected);
    }
  });

  // contract 13.8
  test('leaves derived rows that the next import completes', async () => {
    await bench.accept({ 'products.jsonl': bags(600) });
    const renamed = { 'entities.jsonl': [{ ...sample.HERMES, name: 'Ermes' }] };
    await expect(bench.import(renamed, {}, dyingAt(1))).rejects.toThrow(Killed);
    const old = bench.knex('catalog_rows').where('name', 'like', 'Hermès%').count('* as rows');
    expect(await old).toEqual([{ rows: 602 }]);
    await bench.accept(NO_RECORDS);
    expect(await old.clone()).toEqual([{ rows: 0 }]);
    expect(await bench.knex('catalog_stale_rows')).toEqual([]);
  });
});

// contract 13.8
test('readers see a change and everything that follows from it at once, and are answered meanwhile', async () => {
  await bench.accept({ 'products.jsonl': bags(300) });
  const reader = await bench.database.connect();
  const names = async () => {
    const { rows } = await reader.raw(
      `SELECT DISTINCT attribute->>'name' AS name FROM catalog_rows, jsonb_array_elements(attributes) AS attribute
         WHERE attribute->>'id' = 'brand_hermes'`,
    );
    return rows.map((row: { name: string }) => row.name);
  };
  let running = true;
  const renamed = ['One', 'Two'].map((name) => ({ ...sample.HERMES, name }));
  const renaming = bench.accept({ 'entities.jsonl': renamed }).finally(() => {
    running = false;
  });
  const seen: string[] = [];
  while (running) {
    const now = await names();
    expect(now).toHaveLength(1);
    seen.push(...now);
  }
  await renaming;
  expect(seen).not.toEqual([]);
  expect(await names()).toEqual(['Two']);
});

describe('one import runs at a time', () => {
  const RUNNING = 'Another import has been running since';

  test('and a second one is told that, but dry runs go on beside it', async () => {
    const first = await openImport(bench.knex, false);
    await expect(openImport(await bench.database.connect(), false)).rejects.toThrow(RUNNING);
    await expect(bench.import(sample.CATALOG)).rejects.toThrow(RUNNING);
    // contract 13.7
    const other = await openImport(bench.knex, true);
    expect(await bench.import(sample.CATALOG, { dryRun: true })).toMatchObject({ rejected: 0 });
    await Promise.all([first.close(), other.close()]);
    await bench.accept(sample.CATALOG);
  });

  test('and a dead one does not block the next', async () => {
    const dead = { holder: 'x', host: 'elsewhere', process_id: 1, heartbeat_at: new Date('2026-01-01') };
    await bench.knex('catalog_import_lock').insert(dead);
    await bench.accept(sample.CATALOG);
  });

  test('and one that lost its lock writes nothing more', async () => {
    const lost = await openImport(bench.knex, false);
    await bench.knex('catalog_import_lock').update({ host: 'elsewhere', holder: 'another' });
    await expect(lost.transaction(async () => undefined)).rejects.toThrow('another one took its place');
    await lost.close();
    expect(await bench.knex('catalog_import_lock').pluck('holder')).toEqual(['another']);
  });
});
