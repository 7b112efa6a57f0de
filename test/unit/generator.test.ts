import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BundleOptions, generateBundle } from '../../scripts/lab/generator/generate-bundle';
import { temporaryFolder } from '../support/temporary-folder';

/** The files of a new bundle, in latin1, and its products. */
async function generated(options: Omit<BundleOptions, 'out'>) {
  const out = temporaryFolder();
  await generateBundle({ ...options, out });
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => statSync(join(out, name)).isFile());
  const files = new Map(paths.map((name) => [name, readFileSync(join(out, name), 'latin1')]));
  const lines = (files.get('products.jsonl') ?? '').trimEnd().split('\n');
  return { files, products: lines.map((line) => JSON.parse(line) as { images: string[] }) };
}

test('the same seed gives the same bytes, pictures included, and another seed others', async () => {
  const options = { products: 4, seed: 5, images: 2, imageSize: 64 };
  const { files, products } = await generated(options);
  expect((await generated(options)).files).toEqual(files);
  expect((await generated({ ...options, seed: 6 })).products).not.toEqual(products);
  const pictures = products.flatMap(({ images }) => images.map((image) => files.get(image)));
  expect(new Set(pictures).size).toBe(8);
  expect(pictures).not.toContain(undefined);
  // A bundle begins with the products of a smaller one.
  expect((await generated({ ...options, products: 2 })).products).toEqual(products.slice(0, 2));
});
