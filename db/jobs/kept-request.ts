import type { Region } from '../../models/vision/image-input';
import type { KeptEntry } from '../../models/vision/jobs/vision-job';

/** A photo in the column `request`: an address, or a prepared picture in base64. */
type PhotoRow =
  | { readonly url: string; readonly region?: Region; readonly index?: number }
  | { readonly jpeg: string; readonly digest: string };

/** An entry as the column `request` holds it. */
export type RequestRow = Omit<KeptEntry, 'photos'> & { readonly photos: readonly PhotoRow[] };

/** What is asked of an entry, its photos too, as JSON. */
export const toRequestRow = ({ photos, ...asked }: KeptEntry): RequestRow => ({
  ...asked,
  photos: photos.map((photo) => {
    if (photo.kind === 'prepared') {
      const { jpeg, digest } = photo.image;
      return { jpeg: jpeg.toString('base64'), digest };
    }
    const { url, region, index } = photo;
    return { url: url.href, ...(region ? { region } : {}), ...(index === undefined ? {} : { index }) };
  }),
});

/** The reverse of `toRequestRow`. */
export const toKeptEntry = ({ photos, ...asked }: RequestRow): KeptEntry => ({
  ...asked,
  photos: photos.map((photo) =>
    'url' in photo
      ? { kind: 'url', ...photo, url: new URL(photo.url) }
      : { kind: 'prepared', image: { ...photo, jpeg: Buffer.from(photo.jpeg, 'base64') } },
  ),
});
