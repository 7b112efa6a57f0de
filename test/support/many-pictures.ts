import pMap from 'p-map';
import sharp from 'sharp';
import type { Database } from '../../db/core/knex';
import type { ImageStore } from '../../models/ports';
import { Random } from '../../models/random';

const AT_ONCE = 8;
const BATCH = 500;
const PATCHES = 8;

/** Adds pictures unlike any other, not embedded yet; returns their image ids. @param from number of the first: another makes others */
export async function addPictures(
  { knex, store }: { knex: Database['knex']; store: ImageStore },
  { count, from, side }: { count: number; from: number; side: number },
): Promise<number[]> {
  const products: string[] = await knex('catalog_search')
    .where({ kind: 'product' })
    .orderBy('id')
    .pluck('id');
  const ids: number[] = [];
  for (let start = from; start < from + count; start += BATCH) {
    const numbers = Array.from(
      { length: Math.min(BATCH, from + count - start) },
      (_, index) => start + index,
    );
    const draw = async (number: number) => ({
      address: await store.put(await drawnPicture(number, side), 'jpg'),
    });
    const pictures = await pMap(numbers, draw, { concurrency: AT_ONCE });
    const made: { id: number }[] = await knex('images').insert(pictures).returning('id');
    const product = (at: number) => products[(start + at) % products.length];
    await knex('product_images').insert(
      made.map(({ id }, at) => ({ image_id: id, product_id: product(at) })),
    );
    ids.push(...made.map(({ id }) => Number(id)));
  }
  return ids;
}

function drawnPicture(number: number, side: number): Promise<Buffer> {
  const random = new Random('picture', number);
  const patches = Buffer.from(Array.from({ length: PATCHES ** 2 * 3 }, () => random.integer(0, 255)));
  return sharp(patches, { raw: { width: PATCHES, height: PATCHES, channels: 3 } })
    .resize(side, side)
    .jpeg({ quality: 85 })
    .toBuffer();
}
