import { z } from 'zod';
import {
  categorySchema,
  entityDeletion,
  entitySchema,
  productDeletion,
  productSchema,
  tagSchema,
} from './catalog-records';
import { estimateSchema, historySchema, listingSchema } from './price-records';
import { synonymDeletion, synonymSchema } from './synonym-records';

const RECORDS = {
  CategoryRecord: categorySchema,
  TagRecord: tagSchema,
  SynonymRecord: synonymSchema,
  EntityRecord: entitySchema,
  ProductRecord: productSchema,
  EstimateRecord: estimateSchema(new Date(0)),
  HistoryRecord: historySchema,
  ListingRecord: listingSchema,
  SynonymDeletion: synonymDeletion,
  EntityDeletion: entityDeletion,
  ProductDeletion: productDeletion,
};

/** The schemas of records and of a line of `PUT /v3/catalog/records` (contract 15.1), by their names in `/openapi.json`. */
export const RECORD_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...RECORDS,
  RecordLine: z
    .strictObject({
      categories: RECORDS.CategoryRecord.optional(),
      tags: RECORDS.TagRecord.optional(),
      synonyms: z.union([RECORDS.SynonymRecord, RECORDS.SynonymDeletion]).optional(),
      entities: z.union([RECORDS.EntityRecord, RECORDS.EntityDeletion]).optional(),
      products: z.union([RECORDS.ProductRecord, RECORDS.ProductDeletion]).optional(),
      estimates: RECORDS.EstimateRecord.optional(),
      'estimate-history': RECORDS.HistoryRecord.optional(),
      listings: RECORDS.ListingRecord.optional(),
    })
    .meta({ description: 'One record, under the name of its file', minProperties: 1, maxProperties: 1 }),
};
