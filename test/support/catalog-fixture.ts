import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { ESTIMATES, HISTORY, LISTINGS } from './catalog-fixture/prices';
import { DELETED_PRODUCTS, PRODUCTS } from './catalog-fixture/products';
import { CATEGORIES, DELETED_ENTITIES, ENTITIES, TAGS } from './catalog-fixture/taxonomy';

/** Pictures of the bundle, each of one colour. */
const PICTURES = [
  'birkin_croc',
  'birkin_togo',
  'neverfull_monogram',
  'neverfull_damier',
  'deleted',
  'submariner',
];

/** Writes the fixture as a bundle (contract 13), and beside it a second one that deletes some of it. */
export async function writeFixtureBundles(folder: string): Promise<{ catalog: string; deletions: string }> {
  const catalog = join(folder, 'catalog');
  const deletions = join(folder, 'deletions');
  await mkdir(join(catalog, 'images'), { recursive: true });
  await mkdir(deletions, { recursive: true });
  await Promise.all([
    writeLines(join(catalog, 'categories.jsonl'), CATEGORIES),
    writeLines(join(catalog, 'tags.jsonl'), TAGS),
    writeLines(join(catalog, 'entities.jsonl'), ENTITIES),
    writeLines(join(catalog, 'products.jsonl'), PRODUCTS),
    writeLines(join(catalog, 'estimates.jsonl'), ESTIMATES),
    writeLines(join(catalog, 'estimate-history.jsonl'), HISTORY),
    writeLines(join(catalog, 'listings.jsonl'), LISTINGS),
    writeLines(join(deletions, 'entities.jsonl'), DELETED_ENTITIES),
    writeLines(join(deletions, 'products.jsonl'), DELETED_PRODUCTS),
    ...PICTURES.map(async (name, position) =>
      writeFile(join(catalog, 'images', `${name}.png`), await picture(position)),
    ),
  ]);
  return { catalog, deletions };
}

const writeLines = (file: string, records: readonly object[]): Promise<void> =>
  writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));

/** A small PNG, different for each number. */
function picture(number: number): Promise<Buffer> {
  const background = { r: (number * 40) % 256, g: 120, b: 200 - ((number * 30) % 200) };
  return sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer();
}
