import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineWriter } from '../../scripts/catalog/generate/bundle/line-writer';
import type {
  CategoryRecord,
  EntityRecord,
  EstimateRecord,
  Grades,
  HistoryRecord,
  ListingRecord,
  ProductRecord,
  TagRecord,
} from '../../scripts/catalog/generate/bundle/records';
import {
  type BundleOptions,
  type BundleSummary,
  generateBundle,
  productId,
} from '../../scripts/catalog/generate/generate-bundle';

interface Bundle {
  readonly folder: string;
  readonly summary: BundleSummary;
  readonly categories: readonly CategoryRecord[];
  readonly tags: readonly TagRecord[];
  readonly entities: readonly EntityRecord[];
  readonly products: readonly ProductRecord[];
  readonly estimates: readonly EstimateRecord[];
  readonly history: readonly HistoryRecord[];
  readonly listings: readonly ListingRecord[];
}

const CURRENCIES: Readonly<Record<string, string>> = { NA: 'usd', 'EU-UK': 'gbp', 'EU-IE': 'eur' };

let root: string;
let bundle: Bundle;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loupe-generate-'));
  bundle = await generated({ products: 1200, seed: 42 });
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe('generated bundle: determinism', () => {
  it('gives the same bytes for the same seed, pictures included, and others for another', async () => {
    const options = { products: 6, seed: 5, images: true, imageSize: 96 };
    const first = await digest((await generated(options)).folder);
    expect(await digest((await generated(options)).folder)).toEqual(first);
    const other = await digest((await generated({ ...options, seed: 6 })).folder);
    expect(other['products.jsonl']).not.toBe(first['products.jsonl']);
    expect(Object.keys(first).filter((file) => file.endsWith('.jpg'))).toHaveLength(6);
  });

  it('asks neither the clock nor Math.random', async () => {
    const forbidden = () => {
      throw new Error('not deterministic');
    };
    const spies = [
      jest.spyOn(Math, 'random').mockImplementation(forbidden),
      jest.spyOn(Date, 'now').mockImplementation(forbidden),
    ];
    try {
      await generateBundle({ products: 20, seed: 1, out: join(root, 'no-clock') });
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  it('begins with the whole of a smaller bundle of the same seed', async () => {
    const small = await generated({ products: 150, seed: 42 });
    expect(bundle.products.slice(0, 150)).toEqual(small.products);
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    for (const entity of small.entities) expect(known.get(entity.id)).toEqual(entity);
  });

  it('dates everything before the reference date it is given', async () => {
    const { estimates, history, listings } = await generated({
      products: 60,
      seed: 3,
      referenceDate: '2020-01-15',
    });
    const dates = [
      ...estimates.map((e) => e.estimated_at),
      ...history.map((h) => h.date),
      ...listings.map((l) => l.date),
    ];
    expect(dates.length).toBeGreaterThan(50);
    expect(dates.filter((date) => date > '2020-01-15T12:00:00Z')).toEqual([]);
  });
});

describe('generated bundle: the format', () => {
  it('has ids that are unique and begin with their kind', () => {
    const ids = [
      ...bundle.entities.map(({ id }) => id),
      ...bundle.products.map(({ id }) => id),
      ...bundle.products.flatMap(({ variants }) => variants.map(({ id }) => id)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, kind } of bundle.entities) expect(id.startsWith(`${kind}_`)).toBe(true);
    bundle.products.forEach(({ id }, index) => {
      expect(id).toBe(productId(42, index));
    });
  });

  it('names in parents and attributes only entities of that kind and category, and every node of the hierarchy', () => {
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    const hierarchies = new Map(bundle.categories.map(({ id, hierarchy }) => [id, hierarchy]));
    const wrong: string[] = [];
    const check = (kind: string, id: string, category: string) => {
      const entity = known.get(id);
      if (entity?.kind !== kind || entity.category !== category) wrong.push(`${kind} ${id} in ${category}`);
    };
    for (const { id, parents, kind, category } of bundle.entities) {
      const hierarchy = hierarchies.get(category) ?? [];
      const above = hierarchy.includes(kind) ? hierarchy.slice(0, hierarchy.indexOf(kind)) : [];
      if (Object.keys(parents).join() !== above.join()) wrong.push(`parents of ${id}`);
      for (const [parentKind, parent] of Object.entries(parents)) check(parentKind, parent, category);
    }
    for (const { id, attributes, category } of bundle.products) {
      const nodes = hierarchies.get(category) ?? [];
      if (nodes.length === 0 || !nodes.every((node) => node in attributes)) wrong.push(`attributes of ${id}`);
      for (const [field, value] of Object.entries(attributes)) {
        for (const entity of [value].flat()) check(field, entity, category);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('puts a product under the parents of its innermost entity', () => {
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    for (const { attributes, category } of bundle.products) {
      const innermost = category === 'handbags' ? attributes['style'] : attributes['dial'];
      expect(attributes).toMatchObject(known.get(`${innermost}`)?.parents ?? { missing: true });
    }
  });

  it('tags styles and products only, out of the vocabulary of their category', () => {
    const vocabulary = new Map(bundle.tags.map((tag) => [tag.id, tag.categories]));
    const tagged = [...bundle.entities, ...bundle.products].filter((row) => (row.tags ?? []).length > 0);
    expect(tagged.some((row) => row.tags?.includes('material:exotic'))).toBe(true);
    for (const row of tagged) {
      expect('kind' in row ? row.kind : 'product').toMatch(/^(style|product)$/);
      for (const tag of row.tags ?? []) expect(vocabulary.get(tag)).toContain(row.category);
    }
  });

  it('prices known variants, grades descending, each region in its currency', () => {
    const variants = new Set(bundle.products.flatMap((product) => product.variants.map(({ id }) => id)));
    const records = [...bundle.estimates, ...bundle.history];
    const foreign = [...records, ...bundle.listings].filter(
      ({ variant, currency, region }) => !variants.has(variant) || currency !== CURRENCIES[region],
    );
    expect(foreign).toEqual([]);
    expect(records.filter((record) => !descends(record))).toEqual([]);
    expect(records.some((record) => gradesOf(record).includes(null))).toBe(true);
    expect(records.some((record) => !gradesOf(record).includes(null))).toBe(true);
  });

  it('writes no price record twice under one key', () => {
    const keys = [
      bundle.estimates.map((e) => [e.variant, e.source, e.region].join(' ')),
      bundle.history.map((h) => [h.variant, h.region, h.date, h.source].join(' ')),
      bundle.listings.map((l) => [l.variant, l.region, l.link].join(' ')),
    ];
    for (const list of keys) {
      expect(list.length).toBeGreaterThan(100);
      expect(new Set(list).size).toBe(list.length);
    }
  });

  it('names pictures that are in the bundle', async () => {
    const { products, folder, summary } = await generated({
      products: 4,
      seed: 9,
      images: true,
      imageSize: 64,
    });
    const images = products.flatMap((product) => product.images);
    expect(images).toHaveLength(4);
    expect(summary.images).toBe(4);
    for (const image of images) expect(existsSync(join(folder, image))).toBe(true);
  });

  it('counts what it wrote', () => {
    const { summary, ...written } = bundle;
    expect(summary).toMatchObject({
      categories: written.categories.length,
      tags: written.tags.length,
      entities: written.entities.length,
      products: 1200,
      variants: written.products.flatMap((product) => product.variants).length,
      estimates: written.estimates.length,
      history: written.history.length,
      listings: written.listings.length,
      images: 0,
    });
  });
});

describe('generated bundle: believable', () => {
  it('has three variants a product on average, and no variant twice', () => {
    expect(bundle.summary.variants / 1200).toBeGreaterThan(2.7);
    expect(bundle.summary.variants / 1200).toBeLessThan(3.3);
    for (const { variants } of bundle.products) {
      const names = variants.map(({ fields }) => JSON.stringify(fields));
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('has names with accents, articles, other scripts, digits and punctuation first', () => {
    const names = bundle.entities.filter((entity) => entity.kind !== 'colour').map(({ name }) => name);
    for (const form of [
      /[éèôœÉ]/,
      /^(Le|La|L'|The) ?/,
      /\p{sc=Greek}|\p{sc=Cyrillic}|\p{sc=Han}|\p{sc=Katakana}/u,
      /^\d/,
      /^\p{P}/u,
    ]) {
      expect(names.some((name) => form.test(name))).toBe(true);
    }
  });

  it('gives no two siblings of the handbag taxonomy one name, and no two brands of a category', () => {
    const rows = bundle.entities.filter(
      ({ kind }) => kind === 'brand' || kind === 'model' || kind === 'style',
    );
    const keys = rows.map(({ category, kind, parents, name }) =>
      JSON.stringify([category, kind, parents, name]),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has a few popular products and a long tail', () => {
    const ranked = bundle.products.map(({ popularity }) => popularity).sort((a, b) => b - a);
    const total = ranked.reduce((sum, popularity) => sum + popularity, 0);
    expect(ranked.slice(0, 60).reduce((sum, popularity) => sum + popularity, 0) / total).toBeGreaterThan(0.5);
    expect(ranked.every((popularity) => popularity >= 0)).toBe(true);
  });

  it('has taxonomy grow slower than products', async () => {
    const small = await generated({ products: 300, seed: 42 });
    const nodes = ({ entities }: Bundle) =>
      entities.filter(({ id }) => !/_(handbags|watches)_/.test(id)).length;
    expect(nodes(bundle)).toBeLessThan(3 * nodes(small));
  });

  it('keeps the price files within the volume asked for', async () => {
    const none = await generated({
      products: 50,
      seed: 1,
      estimatesPerVariant: 0,
      listingsPerVariant: 0,
      historyMonths: 0,
    });
    expect([none.estimates, none.history, none.listings]).toEqual([[], [], []]);
    const { summary } = await generated({
      products: 50,
      seed: 1,
      estimatesPerVariant: 15,
      listingsPerVariant: 8,
      historyMonths: 24,
    });
    expect(summary.history).toBeGreaterThan(summary.variants);
    expect(summary.estimates).toBeLessThanOrEqual(15 * summary.variants);
  });
});

describe('generated bundle: streaming', () => {
  it('gives the same bytes when each file takes a handful of bytes at a time', async () => {
    const roomy = await generated({ products: 900, seed: 8 });
    const tight = await generated({ products: 900, seed: 8, highWaterMark: 16 });
    expect(await digest(tight.folder)).toEqual(await digest(roomy.folder));
  });

  it('waits for a file that is slower than its records', async () => {
    const path = join(root, 'slow.jsonl');
    const writer = new LineWriter(path, 1);
    let waits = 0;
    for (let line = 0; line < 5000; line++) {
      writer.write({ line, padding: 'x'.repeat(100) });
      if (writer.isFull) waits += 1;
      await writer.settle();
      expect(writer.isFull).toBe(false);
    }
    await writer.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual(
      Array.from({ length: 5000 }, (_, line) => line),
    );
    expect(waits).toBeGreaterThan(3);
  });

  it('reports progress up to the end', async () => {
    const seen: number[] = [];
    await generateBundle({
      products: 2500,
      seed: 1,
      out: join(root, 'progress'),
      onProgress: (done) => seen.push(done),
    });
    expect(seen).toEqual([1000, 2000, 2500]);
  });

  it('rejects when the folder cannot be written', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(generateBundle({ products: 1, seed: 1, out: join(root, 'file') })).rejects.toThrow();
  });
});

async function generated(options: Omit<BundleOptions, 'out'>): Promise<Bundle> {
  const folder = await mkdtemp(join(root, 'bundle-'));
  const summary = await generateBundle({ ...options, out: folder });
  return {
    folder,
    summary,
    categories: await lines<CategoryRecord>(folder, 'categories'),
    tags: await lines<TagRecord>(folder, 'tags'),
    entities: await lines<EntityRecord>(folder, 'entities'),
    products: await lines<ProductRecord>(folder, 'products'),
    estimates: await lines<EstimateRecord>(folder, 'estimates'),
    history: await lines<HistoryRecord>(folder, 'estimate-history'),
    listings: await lines<ListingRecord>(folder, 'listings'),
  };
}

async function lines<Row>(folder: string, file: string): Promise<Row[]> {
  const text = await readFile(join(folder, `${file}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}

async function digest(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const digests: Record<string, string> = {};
  for (const file of files.filter((entry) => entry.isFile())) {
    digests[file.name] = createHash('sha256')
      .update(await readFile(join(file.parentPath, file.name)))
      .digest('hex');
  }
  return digests;
}

/** Whether the grades that are known are above 0 and fall strictly. */
function descends(grades: Grades): boolean {
  const known = gradesOf(grades).filter((value) => value !== null);
  return known.every((value, at) => value > 0 && value < (known[at - 1] ?? Infinity));
}

function gradesOf({ A, B, C, D }: Grades): (number | null)[] {
  return [A, B, C, D];
}
