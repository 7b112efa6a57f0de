import pMap from 'p-map';
import type { ImageStore } from '../../../models/ports';
import { Random } from '../../../models/random';
import { decodeSvg } from '../generator/svg';
import type { Knex } from './installation';

const AT_ONCE = 8;
const BATCH = 500;
const SHAPES = 6;

/**
 * Gives the products of a catalog so many pictures more, each like no other: coloured shapes that look like none of the
 * products. As if a catalog with as many pictures had been imported and not been embedded yet.
 *
 * @param from number of the first one: another one makes other pictures
 * @returns their image ids
 */
export async function addPictures(
  { knex, store }: { knex: Knex; store: ImageStore },
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

/** A picture, like that of no other number, as JPEG. */
async function drawnPicture(number: number, side: number): Promise<Buffer> {
  const random = new Random('picture', number);
  const colour = () =>
    `hsl(${random.integer(0, 359)} ${random.integer(40, 100)}% ${random.integer(15, 70)}%)`;
  const length = (least: number, most: number) => (random.between(least, most) * side).toFixed(1);
  const ground = `<rect width="${side}" height="${side}" fill="${colour()}"/>`;
  const shapes = Array.from(
    { length: SHAPES },
    () =>
      `<ellipse rx="${length(0.05, 0.4)}" ry="${length(0.05, 0.4)}" fill="${colour()}" transform="translate(${length(0, 1)} ${length(0, 1)}) rotate(${random.integer(0, 179)})"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${ground}${shapes.join('')}</svg>`;
  return decodeSvg(svg).flatten().jpeg({ quality: 85 }).toBuffer();
}
