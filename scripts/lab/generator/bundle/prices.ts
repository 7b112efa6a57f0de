import type { GradeValues } from '../../../../models/pricing/estimate';
import { at, hash, Random } from '../../../../models/random';
import { REGIONS, type Region, SOURCES } from '../vocabulary/markets';
import { vendors } from '../vocabulary/names.json';
import { Calendar } from './calendar';
import type { PricedProduct } from './products';
import type { EstimateRecord, HistoryRecord, ListingRecord, VariantRecord } from './records';

/** How much is written about a variant at most; the rarer it is, the less there is to say. */
export interface PriceVolume {
  /** Estimates of a variant, one for each pair of source and region: at most 15. */
  readonly estimatesPerVariant: number;
  /** Marketplace listings of a variant. */
  readonly listingsPerVariant: number;
  /** Months of estimate history of a variant. */
  readonly historyMonths: number;
}

/** Where price records go as they are made. */
export interface PriceSinks {
  readonly estimates: { write(record: EstimateRecord): void };
  readonly history: { write(record: HistoryRecord): void };
  readonly listings: { write(record: ListingRecord): void };
}

/** What is left of a grade's value in the next one. */
const WEAR = { B: 0.86, C: 0.7, D: 0.52 } as const;
const PAIRS = SOURCES.length * REGIONS.length;

/** Makes the estimates, their history and the listings of products, all dates before a fixed day. */
export class Prices {
  private readonly calendar: Calendar;

  constructor(
    private readonly seed: number,
    private readonly volume: PriceVolume,
    referenceDate: string,
  ) {
    this.calendar = new Calendar(referenceDate);
  }

  /** Gives a product's price records to the sinks. */
  write({ record, worths }: PricedProduct, index: number, sinks: PriceSinks): void {
    record.variants.forEach((variant, number) => {
      const random = new Random(this.seed, 'prices', index, number);
      const worth = Math.max(80, worths[number] ?? 0);
      this.writeVariant(variant, worth, signal(variant.popularity, random), random, sinks);
    });
  }

  private writeVariant(
    variant: VariantRecord,
    worth: number,
    strength: number,
    random: Random,
    sinks: PriceSinks,
  ): void {
    const pairs = Math.min(PAIRS, some(this.volume.estimatesPerVariant, strength, random));
    const first = hash(this.seed, variant.id) % PAIRS;
    for (let pair = 0; pair < pairs; pair++) {
      const { source, region } = pairOf(first + pair);
      sinks.estimates.write({
        variant: variant.id,
        source,
        region: region.id,
        ...grades(worth * region.perDollar * random.between(0.9, 1.1), strength, random),
        currency: region.currency,
        estimated_at: this.calendar.time(random.integer(0, 27)),
        confidence: confidence(strength, random),
      });
    }
    if (pairs === 0) return;
    const { source, region } = pairOf(first);
    const months = some(this.volume.historyMonths, strength, random);
    for (let month = months; month > 0; month--) {
      sinks.history.write({
        variant: variant.id,
        region: region.id,
        date: this.calendar.monthsBack(month),
        source,
        ...grades(
          worth * region.perDollar * (1 - 0.006 * month) * random.between(0.96, 1.04),
          strength,
          random,
        ),
        currency: region.currency,
        confidence: confidence(strength, random),
      });
    }
    const listings = some(this.volume.listingsPerVariant, strength, random);
    for (let listing = 0; listing < listings; listing++)
      sinks.listings.write(this.listing(variant, worth, listing, region, random));
  }

  private listing(
    variant: VariantRecord,
    worth: number,
    number: number,
    region: Region,
    random: Random,
  ): ListingRecord {
    const { name: vendor, host } = random.pick(vendors);
    return {
      variant: variant.id,
      region: region.id,
      link: `https://${host}.example/item/${variant.id.slice('variant_'.length)}-${number}`,
      variant_name: variant.fields.map(({ name }) => name).join(' / '),
      vendor,
      price: Math.round(worth * region.perDollar * random.between(0.5, 1.15) * 2) / 2,
      currency: region.currency,
      date: this.calendar.day(random.integer(1, 300)),
    };
  }
}

function pairOf(number: number): { readonly source: string; readonly region: Region } {
  const pair = number % PAIRS;
  return { source: at(SOURCES, pair), region: at(REGIONS, Math.floor(pair / SOURCES.length)) };
}

/** How much the market says of a variant, 0 to 1: popular things are traded more. */
function signal(popularity: number, random: Random): number {
  return Math.min(1, 0.12 * Math.log2(1 + popularity) + random.between(0, 0.5));
}

/** Up to `most`, fewer where the signal is weak. */
function some(most: number, strength: number, random: Random): number {
  return Math.min(most, Math.round(most * strength * random.between(0.4, 1.2)));
}

/** Values that descend from A to D; the weaker the signal, the more of them are missing. */
function grades(best: number, strength: number, random: Random): GradeValues {
  const share = 0.35 + strength;
  const worn = best * WEAR.B * random.between(0.97, 1.03);
  const used = worn * (WEAR.C / WEAR.B) * random.between(0.97, 1.03);
  const tired = used * (WEAR.D / WEAR.C) * random.between(0.97, 1.03);
  return {
    A: random.chance(share) ? rounded(best) : null,
    B: random.chance(share) ? rounded(worn) : null,
    C: random.chance(share) ? rounded(used) : null,
    D: random.chance(share) ? rounded(tired) : null,
  };
}

function rounded(value: number): number {
  return value >= 1000 ? Math.round(value / 5) * 5 : Math.round(value);
}

function confidence(strength: number, random: Random): number | null {
  if (random.chance(0.04)) return null;
  return Math.round(Math.min(0.97, 0.3 + 0.6 * strength + random.between(-0.08, 0.08)) * 100) / 100;
}
