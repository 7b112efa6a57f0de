import type { CallContext } from '../access/billing';
import { AppError } from '../errors';
import type { ImageSource, MemoryLease, PrepareOptions } from '../ports';
import type { ImageInput, PreparedInput } from './image-input';

type Fetched = Extract<ImageInput, { kind: 'bytes' }> & { readonly room?: MemoryLease | undefined };

export type Prepare<Image> = (bytes: Buffer, options: PrepareOptions) => Promise<Image>;

/**
 * Fetches and prepares the unprepared photos of a call, in parallel; the first unusable one ends the others.
 * @param openRoom opens memory for a fetched picture, until it is prepared
 * @param aside waits until all photos are fetched; without it each is prepared as soon as it is fetched
 * @throws AppError 400, 422, 503 as the ports say, with the position of the photo when it was sent in a list
 */
export async function preparePhotos<Image>(
  photos: readonly (ImageInput | PreparedInput<Image>)[],
  { source, prepare }: { readonly source: ImageSource; readonly prepare: Prepare<Image> },
  { caller, signal, openRoom }: Pick<CallContext, 'caller' | 'signal' | 'openRoom'>,
  aside?: (wait: () => Promise<unknown>) => Promise<unknown>,
): Promise<Image[]> {
  const failed = new AbortController();
  const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const fetched = async (photo: ImageInput | PreparedInput<Image>) => {
    if (photo.kind !== 'url') return photo;
    const room = openRoom?.();
    ended.addEventListener('abort', () => room?.close(), { once: true });
    try {
      return { ...photo, kind: 'bytes' as const, bytes: await source.fetch(photo.url, ended, room), room };
    } catch (failure) {
      room?.close();
      throw atPosition(photo.index, failure);
    }
  };
  const prepared = async (photo: Fetched | PreparedInput<Image>): Promise<Image> => {
    if (photo.kind === 'prepared') return photo.image;
    try {
      const { region } = photo;
      return await prepare(photo.bytes, { signal: ended, region, account: caller.accountId });
    } catch (failure) {
      throw atPosition(photo.index, failure);
    } finally {
      photo.room?.close();
    }
  };
  try {
    const coming = photos.map(fetched);
    if (aside) await aside(() => Promise.all(coming));
    return await Promise.all(coming.map(async (photo) => prepared(await photo)));
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
