import { availableParallelism } from 'node:os';
import pMap from 'p-map';
import {
  hasStored,
  isPath,
  keptAddress,
  missingThumbnails,
  NOT_STORED,
  namesStored,
  PictureFault,
  withPictures,
} from '../../models/catalog/import/picture-paths';
import type { Pictured } from '../../models/catalog/import/records';
import type { Batch, PicturedRecord, Pictures, Reject } from '../../models/catalog/import/stage';
import type { StoredPictures } from '../../models/catalog/stored-pictures';
import { AppError } from '../../models/errors';
import type { ImageStore, StoredImage } from '../../models/ports';
import type { Bundle } from './bundle';

/** Pictures whose addresses are remembered by path, for records that share them. */
const REMEMBERED_MAX = 5_000;

interface IntakePorts {
  readonly images: Pick<ImageStore, 'size'>;
  readonly pictures: StoredPictures;
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
    private readonly bundle: Pick<Bundle, 'image'>,
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
    const { imageBytesMax, dryRun } = this.options;
    const bytes = await this.bundle.image(path, imageBytesMax).catch((failure: unknown) => {
      throw new UnusablePicture(`${path}: ${failure instanceof Error ? failure.message : String(failure)}`);
    });
    try {
      const stored = await this.ports.pictures.take(bytes, { needsThumbnail, dryRun });
      return stored ?? { address: path, thumbnail: path };
    } catch (failure) {
      if (failure instanceof AppError && failure.code === 'unprocessable') {
        throw new UnusablePicture(`${path}: ${failure.message}`);
      }
      throw failure;
    }
  }
}

class UnusablePicture extends Error {}
