import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntityRecord, ProductRecord } from '../../scripts/lab/generator/catalog';
import { productId } from '../../scripts/lab/generator/catalog';
import { type BundleOptions, generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { temporaryFolder } from '../support/temporary-folder';

interface Priced {
  readonly variant: string;
  readonly region: string;
  readonly currency: string;
  readonly [field: string]: unknown;
}

const PRODUCTS = 1200;
let bundle: Awaited<ReturnType<typeof generated>>;

beforeAll(async () => {
  bundle = await generated({ products: PRODUCTS, seed: 42 });
});

describe('a generated bundle', () => {
  test('has unique ids that begin with their kind', () => {
    const ids = [
      ...bundle.entities.map(({ id }) => id),
      ...bundle.products.map(({ id }) => id),
      ...bundle.products.flatMap(({ variants }) => variants.map(({ id }) => id)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, kind } of bundle.entities) expect(id.startsWith(`${kind}_`)).toBe(true);
    expect(bundle.products.map(({ id }) => id)).toEqual(
      Array.from({ length: PRODUCTS }, (_, index) => productId(42, index)),
    );
  });

  test('refers only to entities of the right kind and category that come before', () => {
    const kinds = new Map<string, string>();
    const wrong: string[] = [];
    const check = (fields: Readonly<Record<string, string | readonly string[]>>, category: string) => {
      for (const [field, ids] of Object.entries(fields))
        for (const id of [ids].flat()) if (kinds.get(id) !== `${field} ${category}`) wrong.push(id);
    };
    for (const { id, kind, category, parents } of bundle.entities) {
      check(parents, category);
      kinds.set(id, `${kind} ${category}`);
    }
    for (const { attributes, category } of bundle.products) check(attributes, category);
    expect(wrong).toEqual([]);
  });

  test('gives a product and an entity every level of the hierarchy above it', () => {
    const hierarchies = new Map(bundle.categories.map(({ id, hierarchy }) => [id, hierarchy]));
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    for (const { kind, category, parents } of bundle.entities) {
      const hierarchy = hierarchies.get(category) ?? [];
      expect(Object.keys(parents)).toEqual(hierarchy.slice(0, Math.max(0, hierarchy.indexOf(kind))));
    }
    for (const { attributes, category } of bundle.products) {
      const innermost = hierarchies.get(category)?.at(-1) ?? '';
      expect(attributes).toMatchObject(known.get(`${attributes[innermost]}`)?.parents ?? { missing: true });
    }
  });

  test('tags only styles and products, with tags of their category', () => {
    const categories = new Map(bundle.tags.map((tag) => [tag.id, tag.categories]));
    const tagged = [...bundle.entities, ...bundle.products].filter(({ tags = [] }) => tags.length > 0);
    expect(tagged.some(({ tags }) => tags?.includes('material:exotic'))).toBe(true);
    for (const row of tagged) {
      expect('kind' in row ? row.kind : 'style').toBe('style');
      for (const tag of row.tags ?? []) expect(categories.get(tag)).toContain(row.category);
    }
  });

  test('prices known variants: grades fall, currencies are those of the regions, no key stands twice', () => {
    const { estimates, history, listings } = bundle;
    const variants = new Set(bundle.products.flatMap((product) => product.variants.map(({ id }) => id)));
    const currencies: Readonly<Record<string, string>> = { NA: 'usd', 'EU-UK': 'gbp', 'EU-IE': 'eur' };
    const all = [...estimates, ...history, ...listings];
    expect(all.filter((each) => !variants.has(each.variant))).toEqual([]);
    expect(all.filter(({ currency, region }) => currency !== currencies[region])).toEqual([]);
    const grades = [...estimates, ...history].map(({ A, B, C, D }) => [A, B, C, D]);
    const falls = (known: unknown[]) =>
      known.every((value, at) => Number(value) > 0 && (at === 0 || Number(value) < Number(known[at - 1])));
    expect(grades.filter((each) => !falls(each.filter((value) => value !== null)))).toEqual([]);
    expect(grades.some((each) => each.includes(null))).toBe(true);
    const keys = [
      estimates.map((each) => [each.variant, each['source'], each.region]),
      history.map((each) => [each.variant, each.region, each['date'], each['source']]),
      listings.map((each) => [each.variant, each.region, each['link']]),
    ];
    for (const list of keys) {
      expect(list.length).toBeGreaterThan(100);
      expect(new Set(list.map((key) => key.join(' '))).size).toBe(list.length);
    }
  });

  test('has about three variants a product, and none twice', () => {
    expect(bundle.summary.variants / PRODUCTS).toBeGreaterThan(2.6);
    expect(bundle.summary.variants / PRODUCTS).toBeLessThan(3.3);
    for (const { variants } of bundle.products)
      expect(new Set(variants.map(({ fields }) => JSON.stringify(fields))).size).toBe(variants.length);
  });

  test('has names with accents, articles, other scripts, and digits or punctuation first', () => {
    const names = bundle.entities.filter(({ kind }) => kind !== 'colour').map(({ name }) => name);
    const scripts = /\p{sc=Greek}|\p{sc=Cyrillic}|\p{sc=Han}|\p{sc=Katakana}/u;
    for (const form of [/[éèôœÉ]/, /^(Le|La|L'|The) ?/, scripts, /^\d/, /^\p{P}/u])
      expect(names.some((name) => form.test(name))).toBe(true);
  });

  test('gives no two brands, models or styles below one parent the same name', () => {
    const rows = bundle.entities.filter(({ kind }) => ['brand', 'model', 'style'].includes(kind));
    const keys = rows.map(({ category, parents, name }) => JSON.stringify([category, parents, name]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('has a few popular products and many unpopular ones', () => {
    const ranked = bundle.products.map(({ popularity }) => popularity).sort((a, b) => b - a);
    const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
    expect(sum(ranked.slice(0, PRODUCTS / 20)) / sum(ranked)).toBeGreaterThan(0.5);
  });

  test('counts what it wrote', () => {
    const { summary, folder: _folder, ...written } = bundle;
    const counts = Object.entries(written).map(([file, rows]) => [file, rows.length]);
    const variants = bundle.products.flatMap((product) => product.variants).length;
    expect(summary).toEqual({ ...Object.fromEntries(counts), variants, images: 0 });
  });
});

describe('generating', () => {
  test('gives the same bytes for the same seed, pictures included, and others for another', async () => {
    const options = { products: 4, seed: 5, images: 2, imageSize: 64 };
    const first = await digests((await generated(options)).folder);
    expect(await digests((await generated(options)).folder)).toEqual(first);
    const other = await digests((await generated({ ...options, seed: 6 })).folder);
    expect(other['products.jsonl']).not.toBe(first['products.jsonl']);
    expect(
      new Set(Object.entries(first).flatMap(([file, hash]) => (file.endsWith('.jpg') ? hash : []))).size,
    ).toBe(8);
  });

  test('names pictures that are in the bundle, as many of each product as asked for', async () => {
    const { products, folder, summary } = await generated({ products: 4, seed: 9, images: 2, imageSize: 64 });
    const images = products.flatMap((product) => product.images);
    expect([images.length, summary.images]).toEqual([8, 8]);
    for (const image of images) expect(existsSync(join(folder, image))).toBe(true);
  });

  test('uses neither the clock nor Math.random', async () => {
    const forbidden = () => {
      throw new Error('not deterministic');
    };
    const spies = [
      jest.spyOn(Math, 'random').mockImplementation(forbidden),
      jest.spyOn(Date, 'now').mockImplementation(forbidden),
    ];
    try {
      await generateBundle({ products: 20, seed: 1, out: temporaryFolder() });
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test('begins with the whole of a smaller bundle of the same seed; its taxonomy grows slower', async () => {
    const small = await generated({ products: 150, seed: 42 });
    expect(bundle.products.slice(0, 150)).toEqual(small.products);
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    for (const entity of small.entities) expect(known.get(entity.id)).toEqual(entity);
    const nodes = ({ entities }: { entities: readonly EntityRecord[] }) =>
      entities.filter(({ id }) => !/_(handbags|watches)_/.test(id)).length;
    expect(nodes(bundle)).toBeLessThan(5 * nodes(small));
  });

  test('keeps the price files within the volume asked for', async () => {
    const volume = (estimatesPerVariant: number, listingsPerVariant: number, historyMonths: number) =>
      generated({ products: 50, seed: 1, estimatesPerVariant, listingsPerVariant, historyMonths });
    const none = await volume(0, 0, 0);
    expect([none.estimates, none.history, none.listings]).toEqual([[], [], []]);
    const { summary } = await volume(15, 8, 24);
    expect(summary.history).toBeGreaterThan(summary.variants);
    expect(summary.estimates).toBeLessThanOrEqual(15 * summary.variants);
  });

  test('reports progress up to the end', async () => {
    const seen: number[] = [];
    await generateBundle({
      products: 2500,
      seed: 1,
      out: temporaryFolder(),
      onProgress: (done) => seen.push(done),
    });
    expect(seen).toEqual([1000, 2000, 2500]);
  });

  test('rejects when the folder cannot be written', async () => {
    const file = join(temporaryFolder(), 'file');
    await writeFile(file, '');
    await expect(generateBundle({ products: 1, seed: 1, out: file })).rejects.toThrow();
  });
});

/** Writes a bundle to a folder of its own and reads it back. */
async function generated(options: Omit<BundleOptions, 'out'>) {
  const folder = temporaryFolder();
  const summary = await generateBundle({ ...options, out: folder });
  const lines = async <Row>(file: string): Promise<Row[]> => {
    const text = await readFile(join(folder, `${file}.jsonl`), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Row => JSON.parse(line));
  };
  return {
    folder,
    summary,
    categories: await lines<{ id: string; hierarchy: string[] }>('categories'),
    tags: await lines<{ id: string; categories: string[] }>('tags'),
    entities: await lines<EntityRecord>('entities'),
    products: await lines<ProductRecord>('products'),
    estimates: await lines<Priced>('estimates'),
    history: await lines<Priced>('estimate-history'),
    listings: await lines<Priced>('listings'),
  };
}

async function digests(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = files
    .filter((entry) => entry.isFile())
    .map(async ({ name, parentPath }) => {
      const hash = createHash('sha256')
        .update(await readFile(join(parentPath, name)))
        .digest('hex');
      return [name, hash] as const;
    });
  return Object.fromEntries(await Promise.all(found));
}
