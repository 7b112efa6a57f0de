/** Condition grades, best first (contract 2.2). */
export const GRADES = ['A', 'B', 'C', 'D'] as const;
export type Grade = (typeof GRADES)[number];

/** Regions with the currency that each is priced in (contract 2.4). */
export const REGION_CURRENCIES = { NA: 'usd', 'EU-UK': 'gbp', 'EU-IE': 'eur' } as const;
export type Region = keyof typeof REGION_CURRENCIES;
export const REGIONS = Object.keys(REGION_CURRENCIES) as readonly Region[];

/** Resale value per grade; null if there is not enough signal. Descends from A to D. */
export type GradeValues = Readonly<Record<Grade, number | null>>;

/** The value of a variant at one marketplace source in one region (contract 2.2). */
export interface MarketEstimate extends GradeValues {
  readonly source: string;
  readonly region: Region;
  readonly currency: string;
  readonly estimatedAt: Date;
  readonly confidence: number | null;
}

export const DATA_FILE_KINDS = ['historical_estimates', 'pricing_data'] as const;
export type DataFileKind = (typeof DATA_FILE_KINDS)[number];

export interface DataFile {
  readonly kind: DataFileKind;
  readonly variantId: string;
  readonly region: Region;
}

export interface StoredPrices {
  /** By source, then region; null without any. */
  readonly estimates: readonly MarketEstimate[] | null;
  /** Those with at least one row, regions in the order NA, EU-UK, EU-IE. */
  readonly files: readonly Omit<DataFile, 'variantId'>[];
}
