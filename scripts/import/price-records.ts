import { z } from 'zod';
import { market } from '../../api/wire/answers';
import type { EstimateRecord, HistoryRecord, ListingRecord } from '../../models/catalog/import/records';
import { GRADES, gradesDescend, REGION_CURRENCIES, type Region } from '../../models/pricing/estimate';
import { id, label, linkBy, prefixedId } from './record-values';

/** The accepted form of the price records (contract 13.2) and its way into the stored one. */

const grade = z.number().nonnegative().nullable().default(null);
const grades = { A: grade, B: grade, C: grade, D: grade };
const date = z.iso.date().refine((text) => text >= '0001', 'is no date');
const confidence = z.number().nullable().default(null);
const priced = { variant: prefixedId('variant_'), region: market };

/** `now` stands in for an `estimated_at` that is left out. */
export const estimateSchema = (now: Date) =>
  z
    .strictObject({
      ...{ ...priced, source: id, ...grades, currency: z.string().optional(), confidence },
      estimated_at: z.iso.datetime({ offset: true }).optional(),
    })
    .superRefine(checkPrices)
    .transform(
      (record): EstimateRecord => ({
        variant_id: record.variant,
        source: record.source,
        region: record.region,
        ...gradeColumns(record),
        currency: REGION_CURRENCIES[record.region],
        estimated_at: new Date(record.estimated_at ?? now).toISOString(),
        confidence: record.confidence,
      }),
    );

export const historySchema = z
  .strictObject({ ...priced, date, source: id, ...grades, currency: z.string().optional(), confidence })
  .superRefine(checkPrices)
  .transform(
    (record): HistoryRecord => ({
      variant_id: record.variant,
      region: record.region,
      date: record.date,
      source: record.source,
      ...gradeColumns(record),
      currency: REGION_CURRENCIES[record.region],
      confidence: record.confidence,
    }),
  );

export const listingSchema = z
  .strictObject({
    ...priced,
    link: linkBy('https:', 'http:'),
    variant_name: label.default(''),
    vendor: label.default(''),
    price: z.number().nonnegative().nullable().default(null),
    currency: z
      .string()
      .regex(/^[a-z]{3}$/, 'is no lower-case ISO 4217 code')
      .optional(),
    date: date.nullable().default(null),
  })
  .transform(
    (record): ListingRecord => ({
      variant_id: record.variant,
      region: record.region,
      link: record.link,
      variant_name: record.variant_name,
      vendor: record.vendor,
      price: record.price,
      currency: record.currency ?? REGION_CURRENCIES[record.region],
      date: record.date,
    }),
  );

type Prices = Record<(typeof GRADES)[number], number | null> & {
  region: Region;
  currency?: string | undefined;
};

function checkPrices(record: Prices, context: z.RefinementCtx): void {
  if (!gradesDescend(record)) {
    context.addIssue({ code: 'custom', path: [gradeThatRises(record)], message: 'grades do not descend' });
  }
  const currency = REGION_CURRENCIES[record.region];
  if (record.currency !== undefined && record.currency !== currency) {
    context.addIssue({
      code: 'custom',
      path: ['currency'],
      message: `${record.region} is priced in ${currency}`,
    });
  }
}

function gradeThatRises(record: Prices): string {
  let last = Number.POSITIVE_INFINITY;
  for (const each of GRADES) {
    const value = record[each];
    if (value !== null && value > last) return each;
    last = value ?? last;
  }
  return GRADES[0];
}

const gradeColumns = ({ A, B, C, D }: Prices) => ({ a: A, b: B, c: C, d: D });
