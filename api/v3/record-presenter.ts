import type { z } from 'zod';
import type { Pictured } from '../../models/catalog/import/records';
import type { UploadedPicture } from '../../models/catalog/stored-pictures';
import { categoriesOf } from '../../models/catalog/taxonomy';
import type { ReadRecord } from '../../models/ports';
import type { FeedStatus, LineOutcome, RecordStatus } from '../../models/records/records-service';
import type { PublicAddress } from '../middleware/links';
import type {
  deletionAnswer,
  feedStatusAnswer,
  imageAnswer,
  recordAnswer,
  recordStatusAnswer,
  recordsAnswer,
} from './record-answers';

/** One answer line for each line of the body (contract 15.3). */
export function presentOutcomes(outcomes: readonly LineOutcome[]): z.input<typeof recordsAnswer> {
  const rejected = outcomes.filter(({ fault }) => fault !== null).length;
  return {
    success: true,
    accepted: outcomes.length - rejected,
    rejected,
    credits_used: 0,
    data: outcomes.map(({ line, id, fault }) => ({
      line,
      id,
      ...(fault ? { status: 'rejected', field: fault.field, reason: fault.reason } : { status: 'accepted' }),
    })),
  };
}

export const presentDeletion = (id: string): z.input<typeof deletionAnswer> => ({
  success: true,
  id,
  deleted: true,
  credits_used: 0,
});

/** A stored picture (contract 15.9). */
export const presentUpload = (
  { address, thumbnail, width, height }: UploadedPicture,
  absolute: PublicAddress,
): z.input<typeof imageAnswer> => ({
  success: true,
  url: absolute(address),
  thumbnail: absolute(thumbnail),
  width,
  height,
  credits_used: 0,
});

/** A record as the line that writes it again (contract 15.10). */
export const presentRecord = (read: ReadRecord, absolute: PublicAddress): z.input<typeof recordAnswer> => ({
  success: true,
  data: [lineOf(read, absolute)],
  credits_used: 0,
});

function lineOf({ kind, record }: ReadRecord, absolute: PublicAddress) {
  const addresses = ({ images, thumbnails }: Pictured) => ({
    images: images.map(absolute),
    thumbnails: thumbnails.map(absolute),
  });
  if (kind === 'categories') return { categories: { ...record, ...addresses(record) } };
  const [only, ...more] = categoriesOf(record.category);
  const category = more.length > 0 ? [only, ...more] : record.category;
  if (kind === 'entities') return { entities: { ...record, category, ...addresses(record) } };
  const { title, sku, url, data, variants, ...rest } = record;
  return {
    products: {
      ...rest,
      ...{ ...(title ? { title } : {}), ...(sku ? { sku } : {}), ...(url ? { url } : {}) },
      ...(data ? { data: JSON.parse(data) } : {}),
      ...addresses(record),
      variants: variants.map((variant) => ({ ...variant, ...addresses(variant) })),
    },
  };
}

/** How far a record is seen (contract 15.7). */
export const presentRecordStatus = (
  id: string,
  { searchable, ...status }: RecordStatus,
): z.input<typeof recordStatusAnswer> => ({
  success: true,
  id,
  searchable,
  identifiable: status.pictures.done > 0,
  ...presentPictures(status),
  credits_used: 0,
});

/** How far the products of a feed are seen (contract 15.11). */
export const presentFeedStatus = (
  id: string,
  { products, ...status }: FeedStatus,
): z.input<typeof feedStatusAnswer> => ({
  success: true,
  id,
  products,
  ...presentPictures(status),
  credits_used: 0,
});

const presentPictures = ({
  pictures: { done, pending, failed },
  failures,
}: Pick<RecordStatus, 'pictures' | 'failures'>) => ({
  pictures: { embedded: done, pending, failed },
  failures: failures.map(({ image, reason }) => ({ image: image.address, reason })),
});
