import { inject, injectable } from 'tsyringe';
import { type Clock, type DataFileSigner, PORTS } from '../ports';
import type { DataFileKind, UrlEntry, VariantPricing } from '../pricing/estimate';
import { type CatalogItem, isProduct, type PricedItem, type Variant } from './item';

/** Signed links live this long (contract 2.5). */
export const LINK_LIFETIME_MS = 3_600_000;

/** Makes prices of what is stored of them (contract 2.1). Link addresses are paths; presenters add the base. */
@injectable()
export class PricingService {
  constructor(
    @inject(PORTS.DataFileSigner) private readonly signer: DataFileSigner,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** The rows with the prices of their variants, where these were read with them. */
  price(items: readonly CatalogItem[]): PricedItem[] {
    const expiresAt = new Date(this.clock.now().getTime() + LINK_LIFETIME_MS);
    return items.map((item) => {
      if (!isProduct(item)) return item;
      const priced = item.variants.flatMap((variant) => this.#pricingOf(variant, expiresAt));
      return priced.length === 0 ? item : { ...item, pricing: new Map(priced) };
    });
  }

  #pricingOf({ id, prices }: Variant, expiresAt: Date): [string, VariantPricing][] {
    if (!prices) return [];
    const links = (kind: DataFileKind): UrlEntry[] | null => {
      const files = prices.files.filter((file) => file.kind === kind);
      if (files.length === 0) return null;
      // A link that can't be signed is left out (contract 2.6).
      return files.flatMap((file) => {
        const url = this.signer.sign({ ...file, variantId: id }, expiresAt);
        return url === null ? [] : [{ region: file.region, url }];
      });
    };
    const pricing = {
      marketEstimates: prices.estimates,
      historicalEstimates: links('historical_estimates'),
      pricingData: links('pricing_data'),
    };
    return [[id, pricing]];
  }
}
