/** The one price list (contract 10.1), in credits, of calls that succeed with rows; without rows they are free. */
const PRICES = {
  catalog: 1,
  pricingModule: 5,
  visionV3: 5,
  visionV3WithPricing: 10,
  visionV2: 10,
  furtherPhoto: 2,
} as const;

/** The highest possible balance; every sum up to it is exact (contract 10.7). */
export const CREDITS_MAX = 1_000_000_000_000_000;

/** Price of a catalog query or a v1/v2 product search; `product` says whether products were requested. */
export const catalogPrice = (scope: { product: boolean; pricing: boolean }): number =>
  PRICES.catalog + (scope.product && scope.pricing ? PRICES.pricingModule : 0);

export const visionPrice = (pricing: boolean, photos: readonly unknown[]): number =>
  (pricing ? PRICES.visionV3WithPricing : PRICES.visionV3) + photos.slice(1).length * PRICES.furtherPhoto;

export const legacyVisionPrice = (): number => PRICES.visionV2;
