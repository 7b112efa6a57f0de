import { createCanvas, loadImage } from '@napi-rs/canvas';
import { SURFACES } from '../../scripts/lab/generator/brush/relief';
import { drawCutout, studioView } from '../../scripts/lab/generator/cutout';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { bagLook } from '../../scripts/lab/generator/look/bag-look';
import { FamilyTrees } from '../../scripts/lab/generator/look/lineage';
import {
  BAG_SHAPES,
  type BagLook,
  BEZELS,
  COMPLICATIONS,
  type Look,
  type WatchLook,
} from '../../scripts/lab/generator/look/look';
import { watchLook } from '../../scripts/lab/generator/look/watch-look';
import { lookOfProduct } from '../../scripts/lab/generator/product-look';
import { renderPhoto } from '../../scripts/lab/generator/render-photo';
import { renderProduct } from '../../scripts/lab/generator/render-product';

const SEED = 42;
const trees = new FamilyTrees(SEED);
const bag = lookOfProduct(SEED, 0) as BagLook;
const watch = lookOfProduct(SEED, 1) as WatchLook;

describe('catalog picture', () => {
  test.each([
    ['bag', bag],
    ['watch', watch],
  ] as const)('of a %s is a square JPEG of 640 pixels unless asked otherwise', async (_, look) => {
    const picture = await renderProduct(look);
    expect(picture.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(await sizeOf(picture)).toEqual([640, 640]);
    expect(await sizeOf(await renderProduct(look, { size: 100 }))).toEqual([100, 100]);
  });

  test('is the same bytes for the same look', async () => {
    const again = lookOfProduct(SEED, 0);
    expect(await renderProduct(again, { size: 160 })).toEqual(await renderProduct(bag, { size: 160 }));
  });

  test('shows the item on a light ground with its middle covered', async () => {
    for (const look of [bag, watch]) {
      const pixels = await pixelsOf(await renderProduct(look, { size: 120 }));
      const corner = pixels.subarray(0, 3);
      expect(Math.min(...corner)).toBeGreaterThan(200);
      expect(coverage(look)).toBeGreaterThan(0.08);
    }
  });

  test('can be drawn for every cut, surface, bezel and complication', () => {
    const shapes = BAG_SHAPES.map((shape): Look => ({ ...bag, shape, strap: true, charm: 'tassel' }));
    const surfaces = SURFACES.map((surface): Look => ({ ...bag, surface }));
    const bezels = BEZELS.map((bezel): Look => ({ ...watch, bezel }));
    const complications = COMPLICATIONS.map((complication): Look => ({ ...watch, complication }));
    for (const look of [...shapes, ...surfaces, ...bezels, ...complications]) {
      expect(coverage(look)).toBeGreaterThan(0.06);
      expect(coverage(look)).toBeLessThan(0.85);
    }
  });
});

describe('products of one style', () => {
  const bags = Array.from({ length: 600 }, (_, product) => trees.bags.of('product', product));
  const watches = Array.from({ length: 600 }, (_, product) => trees.watches.of('product', product));

  test('share the cut, the leather and the maison’s marks, and differ in colours or metal', () => {
    const styles = grouped(bags, ({ style }) => style).filter((members) => members.length > 1);
    expect(styles.length).toBeGreaterThan(20);
    for (const members of styles) {
      const looks = members.map((lineage) => bagLook(SEED, lineage));
      expect(
        distinct(looks, ({ shape, surface, pattern, clasp, wordmark }) => [
          shape,
          surface,
          pattern,
          clasp,
          wordmark,
        ]),
      ).toBe(1);
      expect(distinct(looks, ({ main, second, metal }) => [main, second, metal])).toBe(looks.length);
    }
  });

  test('share the dial and the case, and differ in the strap', () => {
    const dials = grouped(watches, ({ dial }) => dial).filter((members) => members.length > 1);
    expect(dials.length).toBeGreaterThan(20);
    for (const members of dials) {
      const looks = members.map((lineage) => watchLook(SEED, lineage));
      expect(
        distinct(looks, ({ caseShape, metal, dialColour, indices, hands, wordmark }) => [
          caseShape,
          metal,
          dialColour,
          indices,
          hands,
          wordmark,
        ]),
      ).toBe(1);
      expect(distinct(looks, ({ strap, strapColour }) => [strap, strapColour])).toBe(looks.length);
    }
  });

  test('are told apart in their pictures', async () => {
    const [first = [], second = []] = grouped(bags, ({ style }) => style).filter(
      (members) => members.length > 1,
    );
    for (const members of [first, second]) {
      const [a, b] = await Promise.all(
        members
          .slice(0, 2)
          .map(async (lineage) => pixelsOf(await renderProduct(bagLook(SEED, lineage), { size: 96 }))),
      );
      expect(difference(a, b)).toBeGreaterThan(2);
    }
  });
});

describe('photo-like view', () => {
  test('is a square JPEG, the same for the same seeds and another for another photo', async () => {
    const options = { seed: SEED, index: 3, photoSeed: 7, level: 2, size: 128 } as const;
    const photo = await photoOfProduct(options);
    expect(await sizeOf(photo)).toEqual([128, 128]);
    expect(await photoOfProduct(options)).toEqual(photo);
    const other = await pixelsOf(await photoOfProduct({ ...options, photoSeed: 8 }));
    expect(difference(await pixelsOf(photo), other)).toBeGreaterThan(5);
  });

  test('is no catalog picture: another ground at every level', async () => {
    const catalog = await pixelsOf(await renderProduct(bag, { size: 96 }));
    for (const level of [1, 2, 3] as const) {
      const photo = await pixelsOf(await renderPhoto(bag, { seed: 1, level, size: 96 }));
      expect(difference(catalog, photo)).toBeGreaterThan(10);
    }
  });
});

/** The share of the picture that an item's mask covers. */
function coverage(look: Look): number {
  const side = 80;
  const { data } = drawCutout(look, studioView(look), side)
    .canvas.getContext('2d')
    .getImageData(0, 0, side, side);
  let covered = 0;
  for (let at = 3; at < data.length; at += 4) covered += (data[at] ?? 0) / 255;
  return covered / (side * side);
}

async function sizeOf(picture: Buffer): Promise<[number, number]> {
  const { width, height } = await loadImage(picture);
  return [width, height];
}

async function pixelsOf(picture: Buffer): Promise<Uint8ClampedArray> {
  const image = await loadImage(picture);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return new Uint8ClampedArray(context.getImageData(0, 0, image.width, image.height).data);
}

/** Mean difference of two pictures, in steps of 255. */
function difference(
  a: Uint8ClampedArray = new Uint8ClampedArray(),
  b: Uint8ClampedArray = new Uint8ClampedArray(),
): number {
  expect(a.length).toBe(b.length);
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
}

function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => number): Row[][] {
  const groups = new Map<number, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups.values()];
}

function distinct<Row>(rows: readonly Row[], of: (row: Row) => unknown): number {
  return new Set(rows.map((row) => JSON.stringify(of(row)))).size;
}
