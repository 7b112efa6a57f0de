import { LRUCache } from 'lru-cache';
import pMap, { pMapSkip } from 'p-map';
import type { ImageStore, StoredImage, StoredImageIndex } from '../../ports';

import type { DisplayFields } from './records';
import type { Batch, Fault, Pictures, RecordWithImages, Reject } from './stage';

/** How answers name a stored image: the name is the hash of its content, so it is the same wherever it is served. */
const STORED_IMAGE = /\/images\/[0-9a-f]{64}\.(?:jpg|png|webp)$/;
export const storedImageOf = (address: string): string | undefined => STORED_IMAGE.exec(address)?.[0];
const digestIn = (address: string): string => address.slice('/images/'.length, address.lastIndexOf('.'));

/** Whether a picture is named by a path inside a bundle; anything that begins with `/` is already an address. */
export const isPath = (reference: string): boolean =>
  !reference.includes('://') && !reference.startsWith('/');

/** Stores the picture at a path of a bundle. Resolves to the reason if the picture can't be used. */
export type StoreFile = (path: string, needsThumbnail: boolean) => Promise<StoredImage | string>;

interface PicturePorts {
  readonly images: Pick<ImageStore, 'size'>;
  readonly index: Pick<StoredImageIndex, 'find' | 'keep'>;
  /** Null for records without files. */
  readonly storeFile: StoreFile | null;
  readonly dryRun?: boolean;
  /** Reports a picture that can't be used, and is left out; without it, its record is rejected. */
  readonly leaveOut?: Reject | null;
}

type Known = ReadonlyMap<string, StoredImage>;

/** Pictures whose addresses are remembered by path, for records that share them. */
const CACHED_MAX = 5_000;
const RECORDS_AT_ONCE = 4;
const IN_ORDER = { concurrency: 1 };
const NOT_STORED = 'is no https:// address, and of no picture that is stored here';
const NO_PATHS = 'is a path in a bundle; give an https:// address here, or import the bundle';

/**
 * Turns pictures of records into addresses (contract 13.5, 15.2, 15.9): an `https://` address stays, the address of a stored
 * image means that image, and a path is stored by its content, with a thumbnail if none is named.
 */
export class RecordPictures implements Pictures {
  readonly #files = new LRUCache<string, Promise<StoredImage | string>>({ max: CACHED_MAX });

  constructor(private readonly ports: PicturePorts) {}

  /** The records with addresses; a record with a missing or undecodable picture is rejected, or loses it. */
  async storeAll<Given extends RecordWithImages>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>> {
    const references = batch.flatMap(({ record }) => picturedOf(record).flatMap(referencesOf));
    const named = references.flatMap((reference) => storedImageOf(reference) ?? []);
    // Most records of a large catalog only name external addresses.
    if (named.length === 0 && !references.some(isPath)) return batch;
    const known = await this.#known(named);
    const stored = await pMap(
      batch,
      async (numbered) => {
        const faults: Fault[] = [];
        const record = await this.#withAddresses(numbered.record, known, faults);
        const { leaveOut } = this.ports;
        if (leaveOut)
          for (const { field, reason } of faults.splice(0)) leaveOut(numbered.line, field, reason);
        const [fault] = faults;
        if (fault) reject(numbered.line, fault.field, fault.reason);
        return fault ? [] : [{ ...numbered, record }];
      },
      { concurrency: RECORDS_AT_ONCE },
    );
    return stored.flat();
  }

  /** The stored images of these addresses that the database knows; from now on none of them is removed. */
  async #known(addresses: readonly string[]): Promise<Known> {
    if (addresses.length === 0) return new Map();
    if (!this.ports.dryRun) await this.ports.index.keep(addresses);
    const found = await this.ports.index.find(addresses.map(digestIn));
    return new Map([...found.values()].map((image) => [image.address, image]));
  }

  async #withAddresses<Given extends RecordWithImages>(
    record: Given,
    known: Known,
    faults: Fault[],
  ): Promise<Given> {
    if ('deleted' in record) return record;
    const addresses = async (own: DisplayFields, place: string) => {
      const stored = (field: 'images' | 'thumbnails') =>
        pMap(
          own[field],
          async (reference, position) => {
            // One fault rejects the record, so its other pictures need no work.
            if (faults.length > 0 && !this.ports.leaveOut) return pMapSkip;
            const needsThumbnail = field === 'images' && own.thumbnails[position] === undefined;
            const image = await this.#image(reference, needsThumbnail, known);
            if (typeof image !== 'string') return image;
            faults.push({ field: `${place}${field}.${position}`, reason: `${reference}: ${image}` });
            return pMapSkip;
          },
          IN_ORDER,
        );
      const images = await stored('images');
      const named = await stored('thumbnails');
      const missing = missingThumbnails(images.slice(named.length));
      return { images: images.map(addressOf), thumbnails: [...named.map(addressOf), ...missing] };
    };
    const own = { ...record, ...(await addresses(record, '')) };
    if (!record.variants) return own;
    const variants = await pMap(
      record.variants,
      async (variant, position) => ({ ...variant, ...(await addresses(variant, `variants.${position}.`)) }),
      IN_ORDER,
    );
    return { ...own, variants };
  }

  async #image(reference: string, needsThumbnail: boolean, known: Known): Promise<StoredImage | string> {
    const { images, storeFile } = this.ports;
    if (isPath(reference)) {
      if (!storeFile) return NO_PATHS;
      const key = `${needsThumbnail} ${reference}`;
      const image = this.#files.get(key) ?? storeFile(reference, needsThumbnail);
      this.#files.set(key, image);
      return await image;
    }
    const stored = storedImageOf(reference);
    if (stored !== undefined && (await images.size(stored)) !== null)
      return known.get(stored) ?? { address: stored, thumbnail: null };
    return /^http:/i.test(reference) ? NOT_STORED : { address: reference, thumbnail: null };
  }
}

const picturedOf = (record: RecordWithImages): readonly DisplayFields[] =>
  'deleted' in record ? [] : [record, ...(record.variants ?? [])];

const referencesOf = ({ images, thumbnails }: DisplayFields): readonly string[] => [...images, ...thumbnails];
const addressOf = ({ address }: StoredImage): string => address;

/** By position: an image without a thumbnail is its own if a later image has one; at the end it is left out. */
function missingThumbnails(images: readonly StoredImage[]): string[] {
  const last = images.findLastIndex(({ thumbnail }) => thumbnail !== null);
  return images.slice(0, last + 1).map(({ address, thumbnail }) => thumbnail ?? address);
}
