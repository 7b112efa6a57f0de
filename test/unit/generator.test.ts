import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { lookOf } from '../../scripts/lab/generator/catalog';
import { type BundleOptions, generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { renderProduct } from '../../scripts/lab/generator/render';
import { temporaryFolder } from '../support/temporary-folder';

/** The SHA-256 of each file of a new bundle, and its products. */
async function generated(options: Omit<BundleOptions, 'out'>) {
  const out = temporaryFolder();
  await generateBundle({ ...options, out });
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name));
  const digests: Record<string, string> = {};
  for (const file of files)
    digests[file.slice(out.length)] = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  const lines = (await readFile(join(out, 'products.jsonl'), 'utf8')).trimEnd().split('\n');
  return { digests, products: lines.map((line) => JSON.parse(line) as { images: string[] }) };
}

test('the same seed gives the same bytes, pictures included, and another seed others', async () => {
  const options = { products: 4, seed: 5, images: 2, imageSize: 64 };
  const { digests, products } = await generated(options);
  expect((await generated(options)).digests).toEqual(digests);
  expect((await generated({ ...options, seed: 6 })).digests['/products.jsonl']).not.toBe(
    digests['/products.jsonl'],
  );
  const pictures = products.flatMap(({ images }) => images.map((image) => digests[`/${image}`]));
  expect(new Set(pictures).size).toBe(8);
  expect(pictures).not.toContain(undefined);
});

test('a bundle begins with all products of a smaller one', async () => {
  const [small, large] = [
    await generated({ products: 50, seed: 42 }),
    await generated({ products: 90, seed: 42 }),
  ];
  expect(large.products.slice(0, 50)).toEqual(small.products);
});

test('the picture of each product shows something on a light ground', async () => {
  for (let index = 0; index < 120; index += 1) {
    const picture = sharp(await renderProduct(lookOf(7, index), { side: 48 }));
    const { channels } = await picture.stats();
    const corner = await picture.clone().extract({ left: 0, top: 8, width: 1, height: 1 }).raw().toBuffer();
    expect(corner[0]).toBeGreaterThan(205);
    expect(channels.some(({ stdev }) => stdev > 12)).toBe(true);
  }
});
