import { at, hash, Random } from '../../../models/random';
import type { PricedProduct } from './catalog';
import { list, slugOf } from './words';

/** How much is written about a variant at most; less about an unpopular one. */
export interface PriceVolume {
  /** Estimates, one for each pair of source and region: at most 15. */
  readonly estimatesPerVariant: number;
  readonly listingsPerVariant: number;
  readonly historyMonths: number;
}

export type PriceRecords = Readonly<Record<'estimates' | 'history' | 'listings', object[]>>;

/** Regions with their currency and what a dollar's worth costs there (contract 2.4). */
const REGIONS = [
  { id: 'NA', currency: 'usd', perDollar: 1 },
  { id: 'EU-UK', currency: 'gbp', perDollar: 0.8 },
  { id: 'EU-IE', currency: 'eur', perDollar: 0.93 },
] as const;
const SOURCES = list('google_shopping, ebay, the_realreal, fashionphile, vestiaire_collective');
const VENDORS = list(
  'Second Chapter, La Consigne, Vitrine & Co., The Archive Room, Dépôt Doré, Old Bond Consignment',
);
/** All dates are before this day: the same seed gives the same bytes on any day. */
const REFERENCE_DAY = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;
/** What is left of the value of grade A. */
const WEAR = Object.entries({ A: 1, B: 0.86, C: 0.7, D: 0.52 });
const PAIRS = SOURCES.length * REGIONS.length;

export function pricesOf(
  seed: number,
  index: number,
  { record, worths }: PricedProduct,
  volume: PriceVolume,
): PriceRecords {
  const prices: PriceRecords = { estimates: [], history: [], listings: [] };
  for (const [number, variant] of record.variants.entries()) {
    const random = new Random(seed, 'prices', index, number);
    const worth = Math.max(80, worths[number] ?? 0);
    // 0 to 1: what is popular is traded more.
    const signal = Math.min(1, 0.12 * Math.log2(1 + variant.popularity) + random.between(0, 0.5));
    const some = (most: number) => Math.min(most, Math.round(most * signal * random.between(0.4, 1.2)));
    const pair = (offset: number) => {
      const pairNumber = (hash(seed, index, number) + offset) % PAIRS;
      const region = at(REGIONS, Math.floor(pairNumber / SOURCES.length));
      return { source: at(SOURCES, pairNumber), region };
    };
    /** The weaker the signal, the more values are missing. */
    const graded = (wear: number, best: number): number | null => {
      const exact = best * wear * random.between(0.97, 1.03);
      const rounded = exact >= 1000 ? Math.round(exact / 5) * 5 : Math.round(exact);
      return random.chance(0.35 + signal) ? rounded : null;
    };
    const priced = ({ source, region }: ReturnType<typeof pair>, share: number, date: object) => ({
      variant: variant.id,
      source,
      region: region.id,
      ...Object.fromEntries(
        WEAR.map(([grade, wear]) => [grade, graded(wear, worth * region.perDollar * share)]),
      ),
      currency: region.currency,
      ...date,
      confidence: random.chance(0.04)
        ? null
        : Math.round(100 * Math.min(0.97, 0.3 + 0.6 * signal + random.between(-0.08, 0.08))) / 100,
    });
    const estimates = Math.min(PAIRS, some(volume.estimatesPerVariant));
    for (let offset = 0; offset < estimates; offset += 1) {
      const estimatedAt = `${day(REFERENCE_DAY - random.integer(1, 27) * DAY_MS)}T12:00:00Z`;
      prices.estimates.push(priced(pair(offset), random.between(0.9, 1.1), { estimated_at: estimatedAt }));
    }
    if (estimates === 0) continue;
    for (let month = some(volume.historyMonths); month > 0; month -= 1) {
      const share = (1 - 0.006 * month) * random.between(0.96, 1.04);
      prices.history.push(priced(pair(0), share, { date: day(Date.UTC(2026, 2 - month, 1)) }));
    }
    const { region } = pair(0);
    const name = variant.fields.map((field) => field.name).join(' / ');
    for (let listing = some(volume.listingsPerVariant); listing > 0; listing -= 1) {
      const vendor = random.pick(VENDORS);
      prices.listings.push({
        variant: variant.id,
        region: region.id,
        link: `https://${slugOf(vendor).replace(/-$/, '')}.example/item/${variant.id.slice('variant_'.length)}-${listing}`,
        variant_name: name,
        vendor,
        price: Math.round(worth * region.perDollar * random.between(0.5, 1.15) * 2) / 2,
        currency: region.currency,
        date: day(REFERENCE_DAY - random.integer(1, 300) * DAY_MS),
      });
    }
  }
  return prices;
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
