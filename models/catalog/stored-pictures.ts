import { createHash } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import type { ImageExtension } from './item';

const THUMBNAIL_SIDE = 320;

/** A picture stored by a caller: its addresses, and its upright size in pixels. */
export interface UploadedPicture {
  readonly address: string;
  readonly thumbnail: string;
  readonly width: number;
  readonly height: number;
}

/** Stores pictures of the catalog by their content, byte for byte, with a thumbnail (contract 13.5, 15.9). */
@injectable()
export class StoredPictures {
  constructor(
    @inject(PORTS.ImageStore) private readonly images: ports.ImageStore,
    @inject(PORTS.ImagePreparer) private readonly preparer: ports.ImagePreparer,
    @inject(PORTS.StoredImageIndex) private readonly index: ports.StoredImageIndex,
  ) {}

  /** Stores a picture of an import, unless it is stored already. @param dryRun only decodes it @throws AppError 422 if it can't be used */
  async take(
    bytes: Buffer,
    { needsThumbnail, dryRun }: { needsThumbnail: boolean; dryRun: boolean },
  ): Promise<ports.StoredImage | null> {
    const digest = digestOf(bytes);
    const known = (await this.index.find([digest])).get(digest);
    if (known && (!needsThumbnail || known.thumbnail !== null)) {
      if (dryRun || (await this.#isStillStored(known))) return known;
    }
    const { jpeg } = await this.preparer.prepare(bytes);
    const small = needsThumbnail ? await this.preparer.thumbnail(jpeg, THUMBNAIL_SIDE) : null;
    if (dryRun) return null;
    const image = {
      address: await this.images.put(bytes, extensionOf(bytes)),
      thumbnail: small && (await this.images.put(small, 'jpg')),
    };
    await this.index.remember(digest, image);
    return image;
  }

  /** Stores a picture of a call, kept until a record can name it. @throws AppError 422 when it can't be used, 503 */
  async upload(bytes: Buffer, caller: Omit<ports.PrepareOptions, 'region'>): Promise<UploadedPicture> {
    const { jpeg, source } = await this.preparer.prepare(bytes, caller);
    const small = await this.preparer.thumbnail(jpeg, THUMBNAIL_SIDE);
    const stored = async () => ({
      address: await this.images.put(bytes, extensionOf(bytes)),
      thumbnail: await this.images.put(small, 'jpg'),
    });
    const { address, thumbnail } = await stored();
    await this.index.keep([address, thumbnail]);
    // Housekeeping may have removed it before it was marked as kept.
    const image = await stored();
    await this.index.remember(digestOf(bytes), image);
    return { ...image, ...source };
  }

  /** The database may still list images that are no longer stored. */
  async #isStillStored({ address, thumbnail }: ports.StoredImage): Promise<boolean> {
    if (thumbnail !== null && (await this.images.size(thumbnail)) === null) return false;
    return (await this.images.size(address)) !== null;
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The preparer accepts these three formats only. */
function extensionOf(bytes: Buffer): ImageExtension {
  if (bytes[0] === 0xff) return 'jpg';
  return bytes[0] === 0x89 ? 'png' : 'webp';
}
