import { z } from 'zod';
import { categorySchema, deletionSchema, entitySchema, productSchema, tagSchema } from './catalog-records';
import { estimateSchema, historySchema, listingSchema } from './price-records';
import { synonymSchema } from './synonym-records';

const RECORDS = {
  CategoryRecord: categorySchema,
  TagRecord: tagSchema,
  SynonymRecord: synonymSchema,
  EntityRecord: entitySchema,
  ProductRecord: productSchema,
  EstimateRecord: estimateSchema(new Date(0)),
  HistoryRecord: historySchema,
  ListingRecord: listingSchema,
  Deletion: deletionSchema,
};

/** The schemas of records and of a line of `PUT /v3/catalog/records` (contract 15.1), by their names in `/openapi.json`. */
export const RECORD_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...RECORDS,
  RecordLine: z
    .strictObject({
      categories: RECORDS.CategoryRecord.optional(),
      tags: RECORDS.TagRecord.optional(),
      synonyms: z.union([RECORDS.SynonymRecord, RECORDS.Deletion]).optional(),
      entities: z.union([RECORDS.EntityRecord, RECORDS.Deletion]).optional(),
      products: z.union([RECORDS.ProductRecord, RECORDS.Deletion]).optional(),
      estimates: RECORDS.EstimateRecord.optional(),
      'estimate-history': RECORDS.HistoryRecord.optional(),
      listings: RECORDS.ListingRecord.optional(),
    })
    .meta({ description: 'One record, under the name of its file', minProperties: 1, maxProperties: 1 }),
};
