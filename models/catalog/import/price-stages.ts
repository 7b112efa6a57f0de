import type { VariantOwner } from '../../ports';
import type { EstimateRecord, HistoryRecord, ListingRecord } from './records';
import type { Stage } from './stage';

/** Market estimates: one by variant, source and region (contract 13.2). */
export const ESTIMATES_STAGE: Stage<EstimateRecord> = priceStage({
  key: ({ variant_id, source, region }) => `${variant_id} ${source} ${region}`,
  write: (records, transaction) => transaction.write('estimates', records),
});

/** Their history: one by variant, region, date and source. */
export const HISTORY_STAGE: Stage<HistoryRecord> = priceStage({
  key: ({ variant_id, region, date, source }) => `${variant_id} ${region} ${date} ${source}`,
  write: (records, transaction) => transaction.write('history', records),
});

/** Listings: one by variant, region and link. */
export const LISTINGS_STAGE: Stage<ListingRecord> = priceStage({
  key: ({ variant_id, region, link }) => `${variant_id} ${region} ${link}`,
  write: (records, transaction) => transaction.write('listings', records),
});

/** Prices are about variants of live products (contract 13.4, 13.15). */
function priceStage<Record extends { readonly variant_id: string }>(
  stage: Pick<Stage<Record>, 'key' | 'write'>,
): Stage<Record> {
  return {
    ...stage,
    inOrder: () => [],
    prepare: async (batch) => batch,
    async check(batch, reject, transaction) {
      const ids = new Set(batch.map(({ record }) => record.variant_id));
      const found = await transaction.variantOwners([...ids]);
      const owners = new Map(found.map((owner) => [owner.id, owner]));
      return batch.filter(({ line, record }) => {
        const reason = ownerFault(record.variant_id, owners.get(record.variant_id));
        if (reason !== null) reject(line, 'variant', reason);
        return reason === null;
      });
    },
  };
}

/** Why a variant can have no prices; null when it can. */
function ownerFault(id: string, owner: VariantOwner | undefined): string | null {
  if (!owner) return `there is no variant "${id}"`;
  if (owner.product_id === null) return `no product names "${id}" any more`;
  return owner.deleted ? `${owner.product_id}, its product, is deleted` : null;
}
