import { inject, injectable } from 'tsyringe';
import { type Clock, type DataFileSigner, PORTS, type PricingRepository } from '../ports';
import type { DataFile, DataFileKind, MarketEstimate, UrlEntry, VariantPricing } from '../pricing/estimate';
import { type CatalogItem, isProduct, type PricedItem } from './item';

/** Signed links live this long (contract 2.5). */
export const LINK_LIFETIME_MS = 3_600_000;

/** Attaches prices to rows (contract 2.1). Link addresses are paths; presenters add the base. */
@injectable()
export class PricingService {
  constructor(
    @inject(PORTS.PricingRepository) private readonly prices: PricingRepository,
    @inject(PORTS.DataFileSigner) private readonly signer: DataFileSigner,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** The rows with their prices: per variant on products, the best estimate below them on the others. */
  async attach(items: readonly CatalogItem[]): Promise<PricedItem[]> {
    const variantIds = items.flatMap((item) => item.variants.map((variant) => variant.id));
    const others = items.filter((item) => !isProduct(item)).map((item) => item.id);
    const [estimates, files, maxima] = await Promise.all([
      variantIds.length === 0
        ? new Map<string, readonly MarketEstimate[]>()
        : this.prices.estimates(variantIds),
      variantIds.length === 0 ? new Map<string, readonly DataFile[]>() : this.prices.dataFiles(variantIds),
      others.length === 0 ? new Map<string, MarketEstimate>() : this.prices.maxEstimates(others),
    ]);
    const expiresAt = new Date(this.clock.now().getTime() + LINK_LIFETIME_MS);
    return items.map((item) => {
      if (!isProduct(item)) return { ...item, maxMarketEstimate: maxima.get(item.id) ?? null };
      const pricing = new Map<string, VariantPricing>();
      for (const { id } of item.variants) {
        pricing.set(id, {
          marketEstimates: estimates.get(id) ?? null,
          historicalEstimates: this.links(files.get(id), 'historical_estimates', expiresAt),
          pricingData: this.links(files.get(id), 'pricing_data', expiresAt),
        });
      }
      return { ...item, pricing };
    });
  }

  /** Null without files; a link that can't be signed is left out (contract 2.6). */
  private links(
    files: readonly DataFile[] | undefined,
    kind: DataFileKind,
    expiresAt: Date,
  ): UrlEntry[] | null {
    const ofKind = files?.filter((file) => file.kind === kind) ?? [];
    if (ofKind.length === 0) return null;
    return ofKind.flatMap((file) => {
      const url = this.signer.sign(file, expiresAt);
      return url === null ? [] : [{ region: file.region, url }];
    });
  }
}
