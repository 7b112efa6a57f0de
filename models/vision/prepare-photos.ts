import type { CallContext } from '../access/billing';
import { AppError } from '../errors';
import type { ImagePreparer, ImageSource, MemoryLease } from '../ports';
import type { ViewSize } from './embedding-model';
import type { ImageInput, PreparedInput } from './image-input';
import type { SmallImage } from './neighbours';

type Fetched = Extract<ImageInput, { kind: 'bytes' }> & { readonly lease?: MemoryLease | undefined };

/** Where photos come from, and what makes them small: pixels of this size, or JPEGs, of 640 pixels without a size. */
interface Intake {
  readonly source: ImageSource;
  readonly preparer: ImagePreparer;
  readonly size?: ViewSize | undefined;
  readonly asPixels?: boolean;
}

/**
 * Fetches and prepares the unprepared photos of a call, in parallel; the first unusable one ends the others.
 * @param openMemory opens memory for a fetched picture, until it is prepared
 * @param whileFetching waits until all photos are fetched; without it each is prepared as soon as it is fetched
 * @throws AppError 400, 422, 503 as the ports say, with the position of the photo when it was sent in a list
 */
export async function preparePhotos(
  photos: readonly (ImageInput | PreparedInput)[],
  { source, preparer, size, asPixels }: Intake,
  { caller, signal, openMemory }: Pick<CallContext, 'caller' | 'signal' | 'openMemory'>,
  whileFetching?: (wait: () => Promise<unknown>) => Promise<unknown>,
): Promise<SmallImage[]> {
  const failed = new AbortController();
  const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const fetchPhoto = async (photo: ImageInput | PreparedInput) => {
    if (photo.kind !== 'url') return photo;
    const lease = openMemory?.();
    ended.addEventListener('abort', () => lease?.close(), { once: true });
    try {
      return { ...photo, kind: 'bytes' as const, bytes: await source.fetch(photo.url, ended, lease), lease };
    } catch (failure) {
      lease?.close();
      throw atPosition(photo.index, failure);
    }
  };
  const preparePhoto = async (photo: Fetched | PreparedInput): Promise<SmallImage> => {
    if (photo.kind === 'prepared') return photo.image;
    try {
      const { bytes, region } = photo;
      const options = { signal: ended, region, account: caller.accountId };
      return await (asPixels && size
        ? preparer.decode(bytes, size, options)
        : preparer.prepare(bytes, options, size));
    } catch (failure) {
      throw atPosition(photo.index, failure);
    } finally {
      photo.lease?.close();
    }
  };
  try {
    const coming = photos.map(fetchPhoto);
    if (whileFetching) await whileFetching(() => Promise.all(coming));
    return await Promise.all(coming.map(async (photo) => preparePhoto(await photo)));
  } finally {
    failed.abort();
  }
}

function atPosition(index: number | undefined, failure: unknown): unknown {
  if (index === undefined || !(failure instanceof AppError)) return failure;
  const { code, message, extras, headers, cause } = failure;
  const { field } = extras;
  const placed = { ...extras, index, ...(field === undefined ? {} : { field: `images.${index}.${field}` }) };
  return new AppError(code, message, { extras: placed, headers, cause });
}
