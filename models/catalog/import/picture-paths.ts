import type { Pictured } from './records';
import type { PicturedRecord, Pictures } from './stage';

/** Whether a picture is named by a path inside a bundle; what begins with `/` is an address already. */
export const isPath = (reference: string): boolean =>
  !reference.includes('://') && !reference.startsWith('/');

export const hasPath = ({ images, thumbnails }: Pictured): boolean =>
  images.some(isPath) || thumbnails.some(isPath);

export const namesPath = (record: PicturedRecord): boolean =>
  !('deleted' in record) && [record, ...(record.variants ?? [])].some(hasPath);

/** The pictures of records that come without files: addresses stay, a path is a reject (contract 15.2). */
export const ADDRESSES_ALONE: Pictures = {
  storeAll: async (batch, reject) =>
    batch.filter(({ line, record }) => {
      const fault = firstPath(record);
      if (fault) reject(line, fault.field, `${fault.path}: ${NO_PATHS}`);
      return !fault;
    }),
};

const NO_PATHS = 'is a path in a bundle; give an https:// address here, or import the bundle';

function firstPath(record: PicturedRecord): { field: string; path: string } | null {
  if (!namesPath(record) || 'deleted' in record) return null;
  for (const [position, pictured] of [record, ...(record.variants ?? [])].entries()) {
    const before = position === 0 ? '' : `variants.${position - 1}.`;
    for (const list of ['images', 'thumbnails'] as const) {
      const at = pictured[list].findIndex(isPath);
      if (at >= 0) return { field: `${before}${list}.${at}`, path: pictured[list][at] ?? '' };
    }
  }
  return null;
}
