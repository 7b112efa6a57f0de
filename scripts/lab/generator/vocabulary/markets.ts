/** A region's currency, and what a dollar's worth costs there. */
export interface Region {
  readonly id: string;
  readonly currency: string;
  readonly perDollar: number;
}

/** The regions of the specification (contract 2.4). */
export const REGIONS: readonly Region[] = [
  { id: 'NA', currency: 'usd', perDollar: 1 },
  { id: 'EU-UK', currency: 'gbp', perDollar: 0.8 },
  { id: 'EU-IE', currency: 'eur', perDollar: 0.93 },
];

/** Marketplace sources: those that the specification names. */
export const SOURCES = [
  'google_shopping',
  'ebay',
  'the_realreal',
  'fashionphile',
  'vestiaire_collective',
] as const;
