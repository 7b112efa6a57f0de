import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LineWriter } from '../../scripts/lab/generator/bundle/line-writer';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { type Bundle, generated } from '../support/generated-bundle';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
let bundle: Bundle;

beforeAll(async () => {
  bundle = await generated({ products: 1200, seed: 42 });
});

describe('generated bundle: determinism', () => {
  test('gives the same bytes for the same seed, pictures included, and others for another', async () => {
    const options = { products: 6, seed: 5, images: true, imageSize: 96 };
    const first = await digest((await generated(options)).folder);
    expect(await digest((await generated(options)).folder)).toEqual(first);
    const other = await digest((await generated({ ...options, seed: 6 })).folder);
    expect(other['products.jsonl']).not.toBe(first['products.jsonl']);
    expect(Object.keys(first).filter((file) => file.endsWith('.jpg'))).toHaveLength(6);
  });

  test('asks neither the clock nor Math.random', async () => {
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

  test('begins with the whole of a smaller bundle of the same seed', async () => {
    const small = await generated({ products: 150, seed: 42 });
    expect(bundle.products.slice(0, 150)).toEqual(small.products);
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    for (const entity of small.entities) expect(known.get(entity.id)).toEqual(entity);
  });

  test('dates everything before the reference date it is given', async () => {
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

describe('generated bundle: believable', () => {
  test('has three variants a product on average, and no variant twice', () => {
    expect(bundle.summary.variants / 1200).toBeGreaterThan(2.7);
    expect(bundle.summary.variants / 1200).toBeLessThan(3.3);
    for (const { variants } of bundle.products) {
      const names = variants.map(({ fields }) => JSON.stringify(fields));
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('has names with accents, articles, other scripts, digits and punctuation first', () => {
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

  test('gives no two siblings of the handbag taxonomy one name, and no two brands of a category', () => {
    const rows = bundle.entities.filter(
      ({ kind }) => kind === 'brand' || kind === 'model' || kind === 'style',
    );
    const keys = rows.map(({ category, kind, parents, name }) =>
      JSON.stringify([category, kind, parents, name]),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('has a few popular products and a long tail', () => {
    const ranked = bundle.products.map(({ popularity }) => popularity).sort((a, b) => b - a);
    const total = ranked.reduce((sum, popularity) => sum + popularity, 0);
    expect(ranked.slice(0, 60).reduce((sum, popularity) => sum + popularity, 0) / total).toBeGreaterThan(0.5);
    expect(ranked.every((popularity) => popularity >= 0)).toBe(true);
  });

  test('has taxonomy grow slower than products', async () => {
    const small = await generated({ products: 300, seed: 42 });
    const nodes = ({ entities }: Bundle) =>
      entities.filter(({ id }) => !/_(handbags|watches)_/.test(id)).length;
    expect(nodes(bundle)).toBeLessThan(3 * nodes(small));
  });

  test('keeps the price files within the volume asked for', async () => {
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
  test('gives the same bytes when each file takes a handful of bytes at a time', async () => {
    const roomy = await generated({ products: 900, seed: 8 });
    const tight = await generated({ products: 900, seed: 8, highWaterMark: 16 });
    expect(await digest(tight.folder)).toEqual(await digest(roomy.folder));
  });

  test('waits for a file that is slower than its records', async () => {
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

  test('reports progress up to the end', async () => {
    const seen: number[] = [];
    await generateBundle({
      products: 2500,
      seed: 1,
      out: join(root, 'progress'),
      onProgress: (done) => seen.push(done),
    });
    expect(seen).toEqual([1000, 2000, 2500]);
  });

  test('rejects when the folder cannot be written', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(generateBundle({ products: 1, seed: 1, out: join(root, 'file') })).rejects.toThrow();
  });
});

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
