const GRADES_OF_NONE = { A: null, B: null, C: null, D: null };

const estimate = (
  variant: string,
  source: string,
  region: 'NA' | 'EU-UK' | 'EU-IE',
  grades: Partial<Record<'A' | 'B' | 'C' | 'D', number>>,
  confidence: number | null = 0.8,
) => ({
  variant,
  source,
  region,
  ...GRADES_OF_NONE,
  ...grades,
  currency: { NA: 'usd', 'EU-UK': 'gbp', 'EU-IE': 'eur' }[region],
  estimated_at: '2026-03-15T12:00:00Z',
  confidence,
});

export const ESTIMATES = [
  // Every source and region of one variant; one grade only, and no confidence, in places.
  estimate('variant_birkin_croc_25', 'ebay', 'NA', { A: 50_000, B: 45_000 }),
  estimate(
    'variant_birkin_croc_25',
    'the_realreal',
    'EU-UK',
    { A: 40_000, B: 38_000, C: 30_000, D: 20_000 },
    null,
  ),
  estimate('variant_birkin_croc_25', 'fashionphile', 'EU-IE', { B: 41_000.5 }),
  // The dearest of the brand; the next one has the same A and a lower B.
  estimate('variant_birkin_croc_30', 'ebay', 'NA', { A: 60_000, B: 50_000 }),
  estimate('variant_birkin_croc_30', 'vestiaire_collective', 'EU-UK', {
    A: 60_000,
    B: 52_000,
    C: 40_000,
    D: 30_000,
  }),
  estimate('variant_neverfull_monogram_MM', 'google_shopping', 'NA', { A: 1500, B: 1200, C: 900, D: 600 }),
  estimate('variant_submariner_41', 'ebay', 'NA', { A: 12_000, B: 11_000 }),
  estimate('variant_love_ring_52', 'ebay', 'EU-IE', { A: 1500 }),
];

const past = (region: string, date: string, source: string, A: number | null, currency: string) => ({
  variant: 'variant_birkin_croc_30',
  region,
  date,
  source,
  ...GRADES_OF_NONE,
  A,
  currency,
  confidence: 0.7,
});

export const HISTORY = [
  past('NA', '2026-03-01', 'ebay', 58_000, 'usd'),
  past('NA', '2026-01-01', 'ebay', 56_000.25, 'usd'),
  past('NA', '2026-02-01', 'ebay', null, 'usd'),
  past('EU-UK', '2026-01-01', 'the_realreal', 44_000, 'gbp'),
];

const listing = (link: string, variant_name: string, vendor: string, price: number, date: string) => ({
  variant: 'variant_birkin_croc_30',
  region: 'NA',
  link,
  variant_name,
  vendor,
  price,
  currency: 'usd',
  date,
});

/** Cells that a spreadsheet would run, and cells that CSV must quote. */
export const LISTINGS = [
  listing('https://shop.example/1', '=HYPERLINK("https://evil.example")', '@shop', 59_000.5, '2026-03-01'),
  listing('https://shop.example/2', 'Birkin 30, "croc"\nnoir', 'Ordinary Vendor', 61_000, '2026-03-02'),
  listing('https://shop.example/3', '+30', '-dash', 60_000, '2026-02-01'),
];
