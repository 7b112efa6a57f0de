import type { z } from 'zod';
import type { EstimateRecord, HistoryRecord, ListingRecord } from '../../../db/catalog-import/records';
import type { BundleFileName } from './bundle-files';
import type { ImportContext } from './import-context';
import { parseRecord } from './parse-record';
import { plainEstimate } from './plain-records';
import { estimateSchema, historySchema, listingSchema } from './price-records';
import type { Loads, Stage } from './stage';

/** Market estimates; `now` is the time of those that name none. */
export const estimatesStage = (context: ImportContext, now: Date): Stage<EstimateRecord> =>
  priceStage(context, {
    file: 'estimates.jsonl',
    schema: estimateSchema(now),
    plain: plainEstimate,
    key: estimateKey,
    write: (records) => context.target.writeEstimates(records),
    loads: loadsOf(context),
  });

const estimateKey = ({ variant_id, source, region }: EstimateRecord): string =>
  `${variant_id} ${source} ${region}`;

function loadsOf({ target }: ImportContext): Loads<EstimateRecord> | undefined {
  if (target.lanes === 0) return undefined;
  return {
    lanes: target.lanes,
    keys: (record) => [estimateKey(record)],
    areNew: (records) => target.areNewEstimates(records),
    begin: () => target.beginEstimates(),
    write: (load, turn) => target.writeLoad(load, turn),
  };
}

export const historyStage = (context: ImportContext): Stage<HistoryRecord> =>
  priceStage(context, {
    file: 'estimate-history.jsonl',
    schema: historySchema,
    key: ({ variant_id, region, date, source }) => `${variant_id} ${region} ${date} ${source}`,
    write: (records) => context.target.writeHistory(records),
  });

export const listingsStage = (context: ImportContext): Stage<ListingRecord> =>
  priceStage(context, {
    file: 'listings.jsonl',
    schema: listingSchema,
    key: ({ variant_id, region, link }) => `${variant_id} ${region} ${link}`,
    write: (records) => context.target.writeListings(records),
  });

interface PriceFile<Record> {
  readonly file: BundleFileName;
  readonly schema: z.ZodType<Record>;
  readonly plain?: (value: unknown, line: string) => Record | null;
  key(record: Record): string;
  write(records: readonly Record[]): Promise<void>;
  readonly loads?: Loads<Record> | undefined;
}

/** Prices are about variants of live products. */
function priceStage<Record extends { readonly variant_id: string }>(
  { target }: ImportContext,
  { file, schema, plain, key, write, loads }: PriceFile<Record>,
): Stage<Record> {
  return {
    file,
    parse: (text) => parseRecord(text, schema, plain),
    key,
    inOrder: false,
    write,
    loads,
    check: async (batch) => batch,
    async prepare(batch, reject) {
      const ids = new Set(batch.map(({ record }) => record.variant_id));
      const owners = new Map((await target.variants([...ids], [])).map((owner) => [owner.id, owner]));
      return batch.filter(({ line, record }) => {
        const owner = owners.get(record.variant_id);
        if (!owner) reject(line, 'variant', `there is no variant "${record.variant_id}"`);
        else if (owner.deleted) reject(line, 'variant', `${owner.product_id}, its product, is deleted`);
        return owner !== undefined && !owner.deleted;
      });
    },
  };
}
