import type { Page } from 'playwright-core';

export interface RankedRow {
  readonly id: string;
  readonly name: string;
  readonly confidence: number;
  readonly [field: string]: unknown;
}

const pictureOf = (hue: number): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="hsl(${hue} 40% 60%)"/></svg>`,
  )}`;

const CATEGORY = { field: 'category', id: 'handbags', name: 'Handbags' };
const BRAND = { field: 'brand', id: 'brand_1', name: 'Le Vaurelle' };

/** A product of the brand. @param agrees for each photo whether nothing else is nearer to it */
export function ranked(
  number: number,
  confidence: number,
  agrees: readonly boolean[] = [true],
  more: object = {},
): RankedRow {
  const image = pictureOf(number * 40);
  return {
    id: `product_${number}`,
    name: `Le Vaurelle The Clé ${number}`,
    confidence,
    popularity: number,
    images: [image, pictureOf(number * 40 + 20)],
    thumbnails: [image],
    attributes: [CATEGORY, BRAND],
    variants: [{ id: `variant_${number}`, popularity: 1, images: [], thumbnails: [], fields: [] }],
    evidence: {
      image,
      photo: Math.max(0, agrees.indexOf(true)),
      similarity: 0.8,
      margin: 0.1,
      photos: agrees.map((each) => ({ similarity: 0.8, agrees: each })),
      levels: [{ ...BRAND, confidence }],
    },
    ...more,
  };
}

/** The brand instead of one of its products, then the likeliest of them and one of another brand. */
export const A_BRAND: readonly RankedRow[] = [
  { ...ranked(1, 0.81), id: BRAND.id, name: BRAND.name, variants: undefined, images: [] },
  ranked(1, 0.4),
  ranked(2, 0.3, [true], {
    title: 'The Clé, crocodile, with its box',
    sku: 'LV-00421',
    url: 'https://shop.example/lv-00421',
  }),
  ranked(3, 0.1, [false], {
    name: 'Aubrenne Orangerie',
    attributes: [CATEGORY, { field: 'brand', id: 'brand_2', name: 'Aubrenne' }],
  }),
];

export const TWO_ITEMS: readonly RankedRow[] = [
  ranked(1, 0.5, [true, false]),
  ranked(2, 0.45, [false, true]),
];

export const TEN_UNSURE: readonly RankedRow[] = [...Array(10).keys()].map((at) =>
  ranked(at + 1, 0.1 - at / 100),
);

/** Has identifications answered with these rows, by a name that feedback goes by. */
export async function answerWith(page: Page, rows: readonly RankedRow[]): Promise<void> {
  await page.route('**/v3/vision/identify', (route) =>
    route.fulfill({
      headers: { 'X-Prediction-Id': 'prediction-1' },
      json: { success: true, credits_used: rows.length > 0 ? 10 : 0, data: rows },
    }),
  );
  await page.route('**/v3/vision/predictions/prediction-1/feedback', (route) =>
    route.fulfill({ json: { success: true, prediction_id: 'prediction-1', credits_used: 0 } }),
  );
}
