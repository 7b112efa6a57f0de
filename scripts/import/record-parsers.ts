import type { ReadRecords, RecordKind } from '../../models/catalog/import/records';
import { categorySchema, entitySchema, productSchema, tagSchema } from './catalog-records';
import { type Parsed, parseDeletable, parseRecord } from './parse-record';
import { plainEstimate, plainProduct } from './plain-records';
import { estimateSchema, historySchema, listingSchema } from './price-records';
import { synonymSchema } from './synonym-records';

/** How the JSON value of a record becomes one, by its kind; `line` is the text that it stands in. */
export type RecordParsers = {
  readonly [Kind in RecordKind]: (value: unknown, line: string) => Parsed<ReadRecords[Kind]>;
};

/** @param now stands in for the time of estimates that name none */
export function recordParsers(now: Date): RecordParsers {
  const estimates = estimateSchema(now);
  return {
    categories: (value, line) => parseRecord(value, line, categorySchema),
    tags: (value, line) => parseRecord(value, line, tagSchema),
    synonyms: (value, line) => parseDeletable(value, line, synonymSchema),
    entities: (value, line) => parseDeletable(value, line, entitySchema),
    products: (value, line) => parseDeletable(value, line, productSchema, plainProduct),
    estimates: (value, line) => parseRecord(value, line, estimates, plainEstimate),
    history: (value, line) => parseRecord(value, line, historySchema),
    listings: (value, line) => parseRecord(value, line, listingSchema),
  };
}
