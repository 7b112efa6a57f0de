import pMap from 'p-map';
import { rowsOf, sql } from '../../../db/core/sql';
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
    const addresses = await pMap(
      numbers,
      async (number) => store.put(await drawnPicture(number, side), 'jpg'),
      {
        concurrency: AT_ONCE,
      },
    );
    const shownBy = numbers.map((number) => products[number % products.length] ?? '');
    const rows = await rowsOf<{ id: number }>(
      knex,
      sql`WITH given AS (
            SELECT * FROM unnest(${addresses}::text[], ${shownBy}::text[]) AS given (address, product)
          ), made AS (
            INSERT INTO images (address) SELECT address FROM given RETURNING id, address
          )
          INSERT INTO product_images (image_id, product_id)
          SELECT made.id, given.product FROM made JOIN given USING (address) RETURNING image_id AS id`,
    );
    ids.push(...rows.map(({ id }) => Number(id)));
  }
  return ids;
}

/** A picture, like that of no other number, as JPEG. */
export async function drawnPicture(number: number, side: number): Promise<Buffer> {
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
