import type { z } from 'zod';
import type { catalogRow, queryAnswer } from '../../../../api/v3/answers';
import {
  brandId,
  estimateKey,
  estimateKeys,
  estimateShown,
  type LivingCatalog,
  versionOfBrand,
} from './living-catalog';

export type CatalogAnswer = z.output<typeof queryAnswer>;
export type CatalogRow = z.output<typeof catalogRow>;

/** Which version of which record a row shows, what it should show and does not, and what in it does not go together. */
export interface RowVersions {
  readonly seen: readonly { readonly key: string; readonly version: number }[];
  readonly missing: readonly string[];
  readonly faults: readonly string[];
}

/** Reads the row of a living product or of its brand; null for another row. */
export function versionsIn(catalog: LivingCatalog, row: CatalogRow): RowVersions | null {
  if (row.id.startsWith(brandId(0).slice(0, -1))) {
    return { seen: [{ key: row.id, version: versionOfBrand(row.name) }], missing: [], faults: [] };
  }
  const product = catalog.productOf(row.id);
  return product < 0 ? null : ofProduct(catalog, product, row);
}

/** NaN for a row that has none. */
export const versionOfProduct = ({ variants }: CatalogRow): number => variants?.[0]?.popularity ?? Number.NaN;

function ofProduct(catalog: LivingCatalog, product: number, row: CatalogRow): RowVersions {
  const version = versionOfProduct(row);
  const brand = row.attributes?.find(({ field }) => field === 'brand');
  const prices = pricesOf(product, row);
  const faults = [...prices.faults];
  const shown = shownIn(row);
  const expected = catalog.shown(product, version);
  if (shown !== expected) faults.push(`${row.id} is ${shown}, version ${version} is ${expected}`);
  const name = catalog.name(product, version, brand?.name ?? '');
  if (row.name !== name) faults.push(`${row.id} is called ${row.name} in place of ${name}`);
  return {
    seen: [
      { key: row.id, version },
      ...(brand ? [{ key: brand.id, version: versionOfBrand(brand.name) }] : []),
      ...prices.seen,
    ],
    missing: prices.missing,
    faults,
  };
}

/** As `LivingCatalog.shown` says. */
const shownIn = ({ popularity, images, thumbnails, attributes, variants }: CatalogRow): string =>
  JSON.stringify([
    popularity,
    images,
    thumbnails,
    attributes?.map(({ id }) => id),
    variants?.map((variant) => [variant.id, variant.popularity, variant.fields]),
  ]);

function pricesOf(product: number, { id, variants }: CatalogRow): RowVersions {
  const pricing = variants?.[0]?.pricing;
  if (!pricing) return { seen: [], missing: [], faults: [] };
  const estimates = pricing.market_estimates ?? [];
  const seen = estimates.map((each) => ({ key: estimateKey(product, each), version: each.D ?? Number.NaN }));
  const keys = new Set(seen.map(({ key }) => key));
  return {
    seen,
    missing: estimateKeys(product).filter((key) => !keys.has(key)),
    faults: estimates
      .filter((each) => JSON.stringify(each) !== estimateShown(each.source, each.D ?? Number.NaN))
      .map((each) => `${id} has the estimate ${JSON.stringify(each)}`),
  };
}
