/** Distinguishes what this run writes from what an earlier run left. */
export const RUN = Date.now().toString(36);

let count = 0;
export function fresh(kind: string): string {
  count += 1;
  return `${kind}_${RUN}x${process.pid}x${count}`;
}

/** A croc Birkin of the fixture's taxonomy, in a line of its own. */
export const bag = (id: string, rest: object = {}) => ({
  products: {
    id,
    category: 'handbags',
    attributes: { brand: 'brand_hermes', model: 'model_birkin', style: 'style_birkin_croc' },
    ...rest,
  },
});

export const variantOf = (id: string): string => id.replace('product_', 'variant_');

export const brandLine = (id: string, name: string, category: string | readonly string[] = 'handbags') => ({
  entities: { id, kind: 'brand', name, category },
});

export const price = (id: string, A: number) => ({
  estimates: { variant: variantOf(id), source: 'ebay', region: 'NA', A },
});

export const pricedBag = (id: string, A: number, rest: object = {}) =>
  [bag(id, { variants: [{ id: variantOf(id) }], ...rest }), price(id, A)] as const;
