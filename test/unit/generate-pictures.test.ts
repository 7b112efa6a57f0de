import sharp from 'sharp';
import { type Look, lookOf } from '../../scripts/lab/generator/looks';
import { photoOfProduct, renderProduct } from '../../scripts/lab/generator/render';

const SEED = 7;
const BAG = 0;
const WATCH = 1;

/** The mean of the channels' differences, in steps of 255. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all([one, other].map((each) => sharp(each).raw().toBuffer()));
  if (!a || !b || a.length !== b.length) throw new Error('pictures of different sizes');
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
}

describe('the picture of a product', () => {
  test.each([BAG, WATCH])(
    'of number %i is a square JPEG, the same for the same seed and number',
    async (index) => {
      const picture = await renderProduct(lookOf(SEED, index), { side: 128 });
      const { format, width, height } = await sharp(picture).metadata();
      expect([format, width, height]).toEqual(['jpeg', 128, 128]);
      expect(await renderProduct(lookOf(SEED, index), { side: 128 })).toEqual(picture);
    },
  );

  test('shows every product of a catalog: something before a light ground', async () => {
    for (let index = 0; index < 120; index += 1) {
      const picture = sharp(await renderProduct(lookOf(SEED, index), { side: 48 }));
      const { channels } = await picture.stats();
      const corner = await picture.clone().extract({ left: 0, top: 8, width: 1, height: 1 }).raw().toBuffer();
      expect(corner[0]).toBeGreaterThan(205);
      expect(channels.some(({ stdev }) => stdev > 12)).toBe(true);
    }
  });

  test('shows the product from another side in each view', async () => {
    for (const index of [BAG, WATCH]) {
      const views = await Promise.all(
        [0, 1, 2].map((view) => renderProduct(lookOf(SEED, index), { view, side: 96 })),
      );
      const [first, second, third] = views;
      if (!first || !second || !third) throw new Error('a view is missing');
      expect(await difference(first, second)).toBeGreaterThan(5);
      expect(await difference(first, third)).toBeGreaterThan(5);
      expect(await difference(second, third)).toBeGreaterThan(5);
    }
  });

  test('shows each surface, pattern, cut and dial of the vocabulary in its own way', async () => {
    const looks = Array.from({ length: 400 }, (_, index) => lookOf(SEED, index));
    const kinds = new Map<string, Look>();
    for (const look of looks) {
      const key =
        look.kind === 'bag'
          ? `${look.cut} ${look.surface} ${look.pattern}`
          : `${look.shape} ${look.bezel} ${look.finish} ${look.indices}`;
      if (!kinds.has(key)) kinds.set(key, look);
    }
    const drawn = [...kinds.values()].slice(0, 40);
    const pictures = await Promise.all(drawn.map((look) => renderProduct(look, { side: 48 })));
    expect(new Set(pictures.map((picture) => picture.toString('base64'))).size).toBe(drawn.length);
  });

  test('differs between products of one style', async () => {
    const bags = Array.from({ length: 200 }, (_, at) => lookOf(SEED, at * 2)).filter(
      (look) => look.kind === 'bag',
    );
    const [first] = bags;
    const sibling = bags
      .slice(1)
      .find(
        ({ cut, surface, pattern, width }) =>
          first?.cut === cut &&
          first.surface === surface &&
          first.pattern === pattern &&
          first.width === width,
      );
    if (!first || !sibling) throw new Error('no two bags of one style');
    const [one, other] = await Promise.all([first, sibling].map((look) => renderProduct(look, { side: 96 })));
    expect(await difference(one ?? Buffer.alloc(0), other ?? Buffer.alloc(0))).toBeGreaterThan(2);
  });
});

describe('the photo of a product', () => {
  const photo = (photoSeed: number) =>
    photoOfProduct({ seed: SEED, index: 3, photoSeed, level: 2, size: 128 });

  test('is the same for the same seeds, and another for another photo', async () => {
    expect(await photo(7)).toEqual(await photo(7));
    expect(await difference(await photo(7), await photo(8))).toBeGreaterThan(5);
  });

  test('is no catalog picture: another ground at every level', async () => {
    const catalog = await renderProduct(lookOf(SEED, BAG), { side: 96 });
    for (const level of [1, 2, 3] as const) {
      const taken = await photoOfProduct({ seed: SEED, index: BAG, photoSeed: 1, level, size: 96 });
      expect(await difference(catalog, taken)).toBeGreaterThan(10);
    }
  });
});
