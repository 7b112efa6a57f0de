import type { EstimateRecord, HistoryRecord, ListingRecord } from './records';
import type { ImportContext, Stage } from './stage';

/** Market estimates: one by variant, source and region (contract 13.2). */
export const estimatesStage = (context: ImportContext): Stage<EstimateRecord> =>
  priceStage(context, {
    key: ({ variant_id, source, region }) => `${variant_id} ${source} ${region}`,
    write: (records) => context.store.write('estimates', records),
  });

/** Their history: one by variant, region, date and source. */
export const historyStage = (context: ImportContext): Stage<HistoryRecord> =>
  priceStage(context, {
    key: ({ variant_id, region, date, source }) => `${variant_id} ${region} ${date} ${source}`,
    write: (records) => context.store.write('history', records),
  });

/** Listings: one by variant, region and link. */
export const listingsStage = (context: ImportContext): Stage<ListingRecord> =>
  priceStage(context, {
    key: ({ variant_id, region, link }) => `${variant_id} ${region} ${link}`,
    write: (records) => context.store.write('listings', records),
  });

/** Prices are about variants of live products. */
function priceStage<Record extends { readonly variant_id: string }>(
  { store }: ImportContext,
  stage: Pick<Stage<Record>, 'key' | 'write'>,
): Stage<Record> {
  return {
    ...stage,
    inOrder: false,
    async prepare(batch, reject) {
      const ids = new Set(batch.map(({ record }) => record.variant_id));
      const owners = new Map((await store.variantOwners([...ids], [])).map((owner) => [owner.id, owner]));
      return batch.filter(({ line, record }) => {
        const owner = owners.get(record.variant_id);
        if (!owner) reject(line, 'variant', `there is no variant "${record.variant_id}"`);
        else if (owner.deleted) reject(line, 'variant', `${owner.product_id}, its product, is deleted`);
        return owner !== undefined && !owner.deleted;
      });
    },
    check: async (batch) => batch,
  };
}
