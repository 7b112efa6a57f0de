import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import pMap from 'p-map';
import {
  hasStored,
  isPath,
  keptAddress,
  NOT_STORED,
  namesStored,
  PictureFault,
  withPictures,
} from '../../models/catalog/import/picture-paths';
import type { Pictured } from '../../models/catalog/import/records';
import type { Batch, PicturedRecord, Pictures, Reject } from '../../models/catalog/import/stage';
import { AppError } from '../../models/errors';
import type { CatalogImportStore, ImagePreparer, ImageStore, StoredImage } from '../../models/ports';
import type { Bundle } from './bundle';

const THUMBNAIL_SIDE = 320;
/** Pictures whose addresses are remembered by path, for records that share them. */
const REMEMBERED_MAX = 5_000;

interface IntakePorts {
  readonly images: ImageStore;
  readonly preparer: ImagePreparer;
  readonly store: CatalogImportStore;
}

interface IntakeOptions {
  readonly imageBytesMax: number;
  /** Pictures are read and decoded, nothing is stored. */
  readonly dryRun: boolean;
}

/**
 * Turns the pictures that records name into addresses (contract 13.5): an `https://` address stays (`keptAddress`), a path of the
 * bundle is stored by its content, byte for byte, with a thumbnail where none is named. What was stored by an earlier
 * import, or an earlier line, is not decoded again.
 */
export class PictureIntake implements Pictures {
  private readonly remembered = new Map<string, Promise<StoredImage>>();

  constructor(
    private readonly bundle: Bundle,
    private readonly ports: IntakePorts,
    private readonly options: IntakeOptions,
  ) {}

  async storeAll<Given extends PicturedRecord>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>> {
    // Most records of a large catalog name addresses alone.
    if (!batch.some(({ record }) => namesStored(record))) return batch;
    const stored = await pMap(
      batch,
      async (numbered) => {
        try {
          return {
            ...numbered,
            record: await withPictures(numbered.record, (...pictured) => this.addresses(...pictured)),
          };
        } catch (failure) {
          if (!(failure instanceof PictureFault)) throw failure;
          reject(numbered.line, failure.field, failure.message);
          return null;
        }
      },
      { concurrency: availableParallelism() },
    );
    return stored.filter((numbered) => numbered !== null);
  }

  private async addresses(
    pictured: Pictured,
    field: string,
  ): Promise<Pick<Pictured, 'images' | 'thumbnails'>> {
    const { images, thumbnails } = pictured;
    if (!hasStored(pictured)) return { images, thumbnails };
    const stored: StoredImage[] = [];
    for (const [position, image] of images.entries()) {
      const needsThumbnail = thumbnails[position] === undefined;
      stored.push(await this.storedAt(image, `${field}images.${position}`, needsThumbnail));
    }
    const named: string[] = [];
    for (const [position, thumbnail] of thumbnails.entries()) {
      named.push((await this.storedAt(thumbnail, `${field}thumbnails.${position}`, false)).address);
    }
    return {
      images: stored.map(({ address }) => address),
      thumbnails: [...named, ...missingThumbnails(stored.slice(named.length))],
    };
  }

  private async storedAt(reference: string, field: string, needsThumbnail: boolean): Promise<StoredImage> {
    const key = `${needsThumbnail} ${reference}`;
    const known = this.remembered.get(key) ?? this.imageOf(reference, needsThumbnail);
    if (this.remembered.size >= REMEMBERED_MAX) this.remembered.clear();
    this.remembered.set(key, known);
    return await known.catch((failure: unknown) => {
      throw failure instanceof UnusablePicture ? new PictureFault(field, failure.message) : failure;
    });
  }

  private async imageOf(reference: string, needsThumbnail: boolean): Promise<StoredImage> {
    if (isPath(reference)) return await this.take(reference, needsThumbnail);
    const address = await keptAddress(this.ports.images, reference);
    if (address === null) throw new UnusablePicture(`${reference}: ${NOT_STORED}`);
    return { address, thumbnail: null };
  }

  private async take(path: string, needsThumbnail: boolean): Promise<StoredImage> {
    const bytes = await this.bundle.image(path, this.options.imageBytesMax).catch((failure: unknown) => {
      throw new UnusablePicture(`${path}: ${failure instanceof Error ? failure.message : String(failure)}`);
    });
    const digest = createHash('sha256').update(bytes).digest('hex');
    const known = await this.ports.store.storedImage(digest);
    if (known && (!needsThumbnail || known.thumbnail !== null)) {
      if (this.options.dryRun || (await this.isStillStored(known))) return known;
    }
    return await this.takeNew(path, bytes, digest, needsThumbnail);
  }

  private async takeNew(
    path: string,
    bytes: Buffer,
    digest: string,
    needsThumbnail: boolean,
  ): Promise<StoredImage> {
    const { images, preparer, store } = this.ports;
    try {
      const { jpeg } = await preparer.prepare(bytes);
      const small = needsThumbnail ? await preparer.thumbnail(jpeg, THUMBNAIL_SIDE) : null;
      if (this.options.dryRun) return { address: path, thumbnail: path };
      const image = {
        address: await images.put(bytes, extensionOf(bytes)),
        thumbnail: small && (await images.put(small, 'jpg')),
      };
      await store.rememberImage(digest, image);
      return image;
    } catch (failure) {
      if (failure instanceof AppError && failure.code === 'unprocessable') {
        throw new UnusablePicture(`${path}: ${failure.message}`);
      }
      throw failure;
    }
  }

  /** The database may have outlived the stored images. */
  private async isStillStored({ address, thumbnail }: StoredImage): Promise<boolean> {
    const { images } = this.ports;
    if (thumbnail !== null && (await images.size(thumbnail)) === null) return false;
    return (await images.size(address)) !== null;
  }
}

class UnusablePicture extends Error {}

/**
 * Thumbnails stand at the positions of their images. An `https://` image has none of its own and stands for itself
 * where a later one has; at the end of the list it is left out.
 */
function missingThumbnails(images: readonly StoredImage[]): string[] {
  const last = images.findLastIndex(({ thumbnail }) => thumbnail !== null);
  return images.slice(0, last + 1).map(({ address, thumbnail }) => thumbnail ?? address);
}

/** The preparer accepts these three formats only. */
function extensionOf(bytes: Buffer): 'jpg' | 'png' | 'webp' {
  if (bytes[0] === 0xff) return 'jpg';
  return bytes[0] === 0x89 ? 'png' : 'webp';
}
