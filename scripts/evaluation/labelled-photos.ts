import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../models/errors';
import { mapConcurrently } from '../catalog/import/map-concurrently';
import type { Query, QueryPorts } from './queries';

const label = z.object({ photo: z.string().min(1), product: z.string().min(1) });

/** A photo, relative to its folder, and the product that it shows. */
type Label = z.infer<typeof label>;

const PICTURES = ['.jpg', '.jpeg', '.png', '.webp'];
const AT_ONCE = 4;

/**
 * Queries of a folder of photos that somebody labelled: `labels.jsonl` or `labels.csv` with `photo` and `product`, or
 * a subfolder per product id. Each is asked as it is, and with its item left out of the search.
 *
 * @throws AppError for a folder without labels, or none of whose products the catalog has
 */
export async function labelledQueries(ports: QueryPorts, folder: string, count: number): Promise<Query[]> {
  const labels = await labelsOf(folder);
  const images = await ports.samples.imagesOf([...new Set(labels.map(({ product }) => product))]);
  const known = labels.filter(({ product }) => images.has(product)).slice(0, count);
  if (known.length === 0) {
    throw new AppError(
      404,
      'not_found',
      `None of the ${labels.length} photos in "${folder}" shows a product of the catalog: name each by labels.jsonl or labels.csv (photo, product), or by a subfolder per product id.`,
    );
  }
  return mapConcurrently(known, AT_ONCE, async ({ photo, product }) => ({
    name: 'photo',
    products: [product],
    jpeg: (await ports.preparer.prepare(await readFile(join(folder, photo)))).jpeg,
    leftOut: new Set<number>(),
    itemImages: new Set((images.get(product) ?? []).map(({ id }) => id)),
  }));
}

async function labelsOf(folder: string): Promise<Label[]> {
  const lines = await readFile(join(folder, 'labels.jsonl'), 'utf8').catch(() => null);
  if (lines !== null) {
    const rows = lines.split('\n').filter((line) => line.trim() !== '');
    return z.array(label).parse(rows.map((line) => JSON.parse(line)));
  }
  const table = await readFile(join(folder, 'labels.csv'), 'utf8').catch(() => null);
  if (table !== null) return z.array(label).parse(rowsOf(table));
  return labelsByFolder(folder);
}

/** The rows of a CSV table by its first line; a cell in quotes may hold commas and doubled quotes, and no line break. */
function rowsOf(table: string): Record<string, string>[] {
  const [head = [], ...lines] = table
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '',
      ),
    );
  return lines.map((cells) => Object.fromEntries(head.map((name, column) => [name, cells[column] ?? ''])));
}

async function labelsByFolder(folder: string): Promise<Label[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const products = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const labels = await mapConcurrently(products.sort(), AT_ONCE, async (product) => {
    const names = await readdir(join(folder, product));
    const photos = names.filter((name) => PICTURES.includes(extname(name).toLowerCase())).sort();
    return photos.map((name) => ({ photo: join(product, name), product }));
  });
  return labels.flat();
}
