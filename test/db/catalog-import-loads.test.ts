import type { ImportTarget } from '../../db/catalog-import/import-target';
import { rowsOf, sql } from '../../db/sql';
import { wordStubs } from '../../db/word-stubs';
import { keptCounts, naiveCounts } from '../support/mark-counts';
import { CATALOG, CROC_BAG, ENTITIES, estimate, HANDBAGS, product, TAGS } from './catalog-import-sample';
import { type BundleFiles, ImportBench, wrapped } from './catalog-import-support';

let bench: ImportBench;
beforeAll(async () => {
  bench = await ImportBench.open();
  // The embedded database has one session.
  bench.lanes = bench.database.kind === 'postgres' ? 2 : 1;
}, 120_000);
beforeEach(() => bench.clear());
afterAll(() => bench.close());

/** More records than fit into a first load, and into the second. */
const COUNT = 260;
const numbers = Array.from({ length: COUNT }, (_, number) => number);

const bag = (number: number, rest: object = {}) =>
  product(`bag${number}`, number % 3 === 0 ? 'style_croc' : 'style_togo', {
    popularity: number % 17,
    keywords: [`Réf. X${number}`, 'two words'],
    images: number % 50 === 0 ? [`https://pictures.example/${number % 100}.jpg`] : [],
    tags: number % 7 === 0 ? ['material:canvas'] : [],
    ...rest,
  });

const price = (number: number, A: number, rest: object = {}) => estimate(`bag${number}_30`, A, rest);

const TAXONOMY = { 'categories.jsonl': [HANDBAGS], 'tags.jsonl': TAGS, 'entities.jsonl': ENTITIES };
const MANY: BundleFiles = {
  ...TAXONOMY,
  'products.jsonl': numbers.map((number) => bag(number)),
  'estimates.jsonl': numbers.flatMap((number) => [
    price(number, 100 + ((number * 7) % 90)),
    price(number, 80, { source: 'google', B: 70, confidence: 0.5 }),
  ]),
};

/** Faults and repetitions of every sort among records that are new. */
const MIXED: BundleFiles = {
  ...TAXONOMY,
  'products.jsonl': [
    ...numbers.slice(0, 150).map((number) => bag(number)),
    bag(150, { attributes: { style: 'style_unknown' } }),
    bag(151, { variants: CROC_BAG.variants }),
    '{"id":"product_half"',
    bag(5, { keywords: ['later'] }),
    { id: 'product_bag6', deleted: true },
    ...numbers.slice(152).map((number) => bag(number)),
    bag(259, { keywords: ['last'] }),
  ],
  'estimates.jsonl': [
    ...numbers.slice(0, 140).map((number) => price(number, 50 + number)),
    estimate('nowhere_30', 7),
    price(6, 9),
    ...numbers.slice(152).map((number) => price(number, 400 - number)),
    price(259, 1_000),
    price(259, 3),
  ],
};

/** A target that knows of no loads, so that everything is written in batches. */
const inBatches = (target: ImportTarget): ImportTarget =>
  wrapped(target, (name) => (name === 'lanes' ? 0 : null));

/** Everything that an import writes and what the database derives from it. */
async function state(): Promise<unknown> {
  const searched = await rowsOf(bench.knex, sql`SELECT * FROM catalog_search ORDER BY id`);
  // A mark that no row has any more may keep lines that add up to nothing.
  const counts = [...(await keptCounts(bench.knex))].filter(([, rows]) => rows !== 0).sort();
  return { ...(await bench.dump()), searched, counts };
}

/** The state and the rejects that batches leave; `before` is there already, and is again afterwards. */
async function leftByBatches(files: BundleFiles, before: BundleFiles = {}) {
  await bench.import(before, {}, inBatches);
  await bench.import(files, {}, inBatches);
  const expected = { state: await state(), rejects: bench.rejects().sort() };
  await bench.clear();
  await bench.import(before);
  return expected;
}

describe('a load of new records', () => {
  it('leaves what batches leave, and counts the marks of its rows', async () => {
    const expected = await leftByBatches(MANY);
    let loads = 0;
    await bench.import(MANY, {}, (target) =>
      wrapped(target, (name) =>
        name === 'writeLoad'
          ? (...given: Parameters<ImportTarget['writeLoad']>) => {
              loads += 1;
              return target.writeLoad(...given);
            }
          : null,
      ),
    );
    expect(loads).toBeGreaterThan(3);
    expect(await state()).toEqual(expected.state);
    const rows = await rowsOf<{ facets: string[]; words: string[] }>(
      bench.knex,
      sql`SELECT facets, tsvector_to_array(words) AS words FROM catalog_rows`,
    );
    expect(await keptCounts(bench.knex)).toEqual(
      naiveCounts(rows.map((row) => ({ ...row, id: '', kind: '', category: '', popularity: 0, name: '' }))),
    );
  }, 120_000);

  it('leaves what batches leave of faults, repetitions, deletions and variants of others', async () => {
    const expected = await leftByBatches(MIXED, CATALOG);
    await bench.import(MIXED);
    expect(await state()).toEqual(expected.state);
    expect(bench.rejects().sort()).toEqual(expected.rejects);
    expect(bench.rejects()).toHaveLength(6);
  }, 120_000);

  it('leaves what batches leave when its records are there already, some changed', async () => {
    const changed = { 'products.jsonl': numbers.map((number) => bag(number, { popularity: number % 5 })) };
    const expected = await leftByBatches(changed, MANY);
    await bench.import(changed);
    expect(await state()).toEqual(expected.state);
  }, 120_000);
});

describe('a load that is killed', () => {
  class Killed extends Error {}

  it('leaves nothing of itself, and the next import ends in the same state', async () => {
    await bench.import(MANY);
    const expected = await state();
    for (let survived = 0; survived < 5; survived += 1) {
      await bench.clear();
      let loads = 0;
      // Everything but the last part is written by then.
      const dying = (target: ImportTarget) =>
        wrapped(target, (name) => {
          if (name !== 'writeLoad') return null;
          return (load: Parameters<ImportTarget['writeLoad']>[0], turn: Promise<boolean>) => {
            loads += 1;
            if (loads <= survived) return target.writeLoad(load, turn);
            const death = turn.then(() => Promise.reject(new Killed()));
            // Not awaited before the rest is written; until then its failure has no handler.
            death.catch(() => undefined);
            return target.writeLoad(load, death);
          };
        });
      await expect(bench.import(MANY, {}, dying)).rejects.toThrow(Killed);
      const [halves] = await rowsOf<{ products: number; rows: number; searched: number; counted: number }>(
        bench.knex,
        sql`SELECT (SELECT count(*) FROM products) AS products,
              (SELECT count(*) FROM catalog_rows WHERE kind = 'product') AS rows,
              (SELECT count(*) FROM catalog_search WHERE kind = 'product') AS searched,
              (SELECT coalesce(sum(rows), 0)::bigint FROM catalog_counts
               WHERE kind = 'product' AND mark = '') AS counted`,
      );
      const { products, ...others } = halves ?? { products: -1 };
      expect(others).toEqual({ rows: products, searched: products, counted: products });
      await bench.import(MANY);
      expect(await state()).toEqual(expected);
    }
  }, 240_000);
});

describe('the stubs of a word', () => {
  it('are those that the database makes', async () => {
    const words = [
      '',
      'a',
      'ab',
      'abc',
      'abcde',
      'abcdef',
      'aaaaaa',
      'abcdefg',
      'abcdefghij',
      'été',
      '😀ab12',
      '12345',
    ];
    const made = await rowsOf<{ stubs: string[] }>(
      bench.knex,
      sql`INSERT INTO search_words SELECT unnest(${words}::text[]) RETURNING stubs`,
    );
    expect(words.map(wordStubs)).toEqual(made.map(({ stubs }) => stubs));
  });
});
