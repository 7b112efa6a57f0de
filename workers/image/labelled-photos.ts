import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import pMap from 'p-map';
import { z } from 'zod';
import type { LabelledPhotos } from '../../models/ports';

const label = z.object({ photo: z.string().min(1), product: z.string().min(1) });

/** A photo, relative to its folder, and the product that it shows. */
type Label = z.infer<typeof label>;

const PICTURES = ['.jpg', '.jpeg', '.png', '.webp'];

/** Photos in a folder: `labels.jsonl` with `photo` and `product`, or a subfolder per product id. */
export class LabelledFolders implements LabelledPhotos {
  async labels(folder: string): Promise<readonly Label[]> {
    const lines = await readFile(join(folder, 'labels.jsonl'), 'utf8').catch(() => null);
    if (lines === null) return labelsByFolder(folder);
    const rows = lines.split('\n').filter((line) => line.trim() !== '');
    return z.array(label).parse(rows.map((line) => JSON.parse(line)));
  }

  read(folder: string, photo: string): Promise<Buffer> {
    return readFile(join(folder, photo));
  }
}

async function labelsByFolder(folder: string): Promise<Label[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const products = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const labelsIn = async (product: string): Promise<Label[]> => {
    const names = await readdir(join(folder, product));
    const photos = names.filter((name) => PICTURES.includes(extname(name).toLowerCase())).sort();
    return photos.map((name) => ({ photo: join(product, name), product }));
  };
  return (await pMap(products.sort(), labelsIn, { concurrency: 4 })).flat();
}
