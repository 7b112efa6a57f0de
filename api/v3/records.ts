import type { DisplayFields } from '../../models/catalog/import/records';
import { categoriesOf } from '../../models/catalog/taxonomy';
import { badRequest } from '../../models/errors';
import type { ReadRecord } from '../../models/ports';
import type { RecordStatus } from '../../models/records/records-service';
import type { ApiServices, ApiSettings } from '../api-services';
import { byPathId, free, type Routes } from '../middleware/charged-answer';
import { type PublicAddress, publicAddress, setCreated } from '../middleware/links';
import { presentPictures } from '../wire/presented-row';

const FREE = { credits_used: 0 } as const;

/** The endpoints that write the catalog (contract 15). */
export const recordRoutes = ({ records, pictures }: ApiServices, settings: ApiSettings) =>
  ({
    writeRecords: (req) =>
      free(async (call) => {
        const outcomes = await records.write(call, req.body);
        const rejected = outcomes.filter(({ fault }) => fault !== null).length;
        const data = outcomes.map(({ line, id, fault }) =>
          fault
            ? { line, id, status: 'rejected' as const, field: fault.field, reason: fault.reason }
            : { line, id, status: 'accepted' as const },
        );
        return { ...FREE, accepted: outcomes.length - rejected, rejected, data };
      }),
    storeImage: (req, res) => {
      if (req.body.length === 0) throw badRequest('Send the bytes of a picture as the body.');
      const absolute = publicAddress(req, settings);
      return free(async ({ caller, signal }) => {
        const stored = await pictures.upload(req.body, { account: caller.accountId, signal });
        const { address, thumbnail, width, height } = stored;
        setCreated(req, res, settings, address);
        return { ...FREE, url: absolute(address), thumbnail: absolute(thumbnail), width, height };
      });
    },
    getRecord: byPathId(async (id, _call, req) => {
      const data = [lineOf(await records.read(id), publicAddress(req, settings))];
      return { ...FREE, data };
    }),
    deleteRecord: byPathId(async (id, call) => {
      await records.remove(call, id);
      return { ...FREE, id, deleted: true };
    }),
    getRecordStatus: byPathId(async (id) => {
      const { searchable, ...seen } = await records.status(id);
      return { ...FREE, id, searchable, identifiable: seen.pictures.done > 0, ...presentSeen(seen) };
    }),
    getFeedStatus: byPathId(async (id) => {
      const { products, ...seen } = await records.feedStatus(id);
      return { ...FREE, id, products, ...presentSeen(seen) };
    }),
  }) satisfies Partial<Routes>;

/** A record as the line that writes it again (contract 15.10). */
function lineOf({ kind, record }: ReadRecord, absolute: PublicAddress) {
  const addresses = (of: DisplayFields) => presentPictures(of, absolute);
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

/** How far pictures are embedded (contract 15.7, 15.11). */
const presentSeen = ({ pictures, failures }: Pick<RecordStatus, 'pictures' | 'failures'>) => ({
  pictures: { embedded: pictures.done, pending: pictures.pending, failed: pictures.failed },
  failures: failures.map(({ image, reason }) => ({ image: image.address, reason })),
});
