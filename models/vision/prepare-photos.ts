import type { CallContext } from '../access/billing';
import { AppError } from '../errors';
import type { ImagePreparer, ImageSource } from '../ports';
import type { ImageInput, PreparedInput } from './image-input';
import type { PreparedImage } from './neighbours';

/**
 * Gets and prepares the photos of a call side by side, those that are not prepared already. The first that can't be used
 * ends the work on the others.
 *
 * @param openRoom opens memory for a picture that is fetched, until it is prepared
 * @throws AppError 400, 422, 503 as the ports say, with the position of the photo when it was sent in a list
 */
export async function preparePhotos(
  photos: readonly (ImageInput | PreparedInput)[],
  { source, preparer }: { readonly source: ImageSource; readonly preparer: ImagePreparer },
  { caller, signal, openRoom }: Pick<CallContext, 'caller' | 'signal' | 'openRoom'>,
): Promise<PreparedImage[]> {
  const failed = new AbortController();
  const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const prepared = async (photo: ImageInput | PreparedInput): Promise<PreparedImage> => {
    if (photo.kind === 'prepared') return photo.image;
    const room = photo.kind === 'url' ? openRoom?.() : undefined;
    ended.addEventListener('abort', () => room?.close(), { once: true });
    try {
      const bytes = photo.kind === 'url' ? await source.fetch(photo.url, ended, room) : photo.bytes;
      return await preparer.prepare(bytes, {
        signal: ended,
        region: photo.region,
        account: caller.accountId,
      });
    } catch (failure) {
      throw atPosition(photo.index, failure);
    } finally {
      room?.close();
    }
  };
  try {
    return await Promise.all(photos.map(prepared));
  } finally {
    failed.abort();
  }
}

function atPosition(index: number | undefined, failure: unknown): unknown {
  if (index === undefined || !(failure instanceof AppError)) return failure;
  const { status, code, message, extras, headers, cause } = failure;
  const { field } = extras;
  const placed = { ...extras, index, ...(field === undefined ? {} : { field: `images.${index}.${field}` }) };
  return new AppError(status, code, message, { extras: placed, headers, cause });
}
