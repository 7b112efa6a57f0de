import { SCOPES } from '../../models/access/api-key';
import { ApiClient } from './api-client';
import { type CatalogSource, FIXTURE } from './fixture-data';
import type { TestService } from './service';

/** The fixture in a database apart, since tests that write the catalog leave it changed. */
export const WRITTEN: CatalogSource = { ...FIXTURE, name: 'written' };

/** As well, for tests that take out again what they write. */
export const RESTORED: CatalogSource = { ...FIXTURE, name: 'restored' };

/** A caller who may do everything. */
export async function writerOf(service: TestService): Promise<ApiClient> {
  return (await service.newKey({ scopes: SCOPES })).api;
}

/** Tells what this run writes from what an earlier run left. */
export const RUN = Date.now().toString(36);

let count = 0;
/** An id that nobody else has. */
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

export const price = (id: string, A: number, rest: object = {}) => ({
  estimates: { variant: variantOf(id), source: 'ebay', region: 'NA', A, ...rest },
});

/** A product with one variant, and its price. */
export const pricedBag = (id: string, A: number, rest: object = {}) => [
  bag(id, { variants: [{ id: variantOf(id) }], ...rest }),
  price(id, A),
];
