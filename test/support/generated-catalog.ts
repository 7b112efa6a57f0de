import { join } from 'node:path';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import type { CatalogSource } from './fixture-data';

/** More products than a page may have. */
export const GENERATED_PRODUCTS = 150;

/** Writes a synthetic catalog below a folder, always the same one, and answers where its files lie. */
export async function writeGeneratedCatalog(folder: string): Promise<string> {
  const out = join(folder, 'generated');
  await generateBundle({ seed: 11, products: GENERATED_PRODUCTS, out, images: false });
  return out;
}

/** Bags and watches of fictional maisons, many enough for pages. */
export const GENERATED_CATALOG: CatalogSource = {
  name: 'generated',
  sources: ['scripts/lab/generator', 'test/support/generated-catalog.ts'],
  write: async (folder) => [await writeGeneratedCatalog(folder)],
};
