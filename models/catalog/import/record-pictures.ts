import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import type { ImageStore, StoredImage, StoredImageIndex } from '../../ports';
import type { Pictured, VariantRecord } from './records';
import type { Batch, PicturedRecord, Pictures, Reject } from './stage';

/** How answers name a stored image: the name is the hash of its content, so wherever it is served it is the same. */
const STORED_IMAGE = /\/images\/[0-9a-f]{64}\.(?:jpg|png|webp)$/;

/** The stored image that an address in an answer is of, if it may be one. */
export const storedImageOf = (address: string): string | undefined => STORED_IMAGE.exec(address)?.[0];

/** The SHA-256 that the address of a stored image is made of. */
const digestIn = (address: string): string => address.slice('/images/'.length, address.lastIndexOf('.'));

/** Whether a picture is named by a path inside a bundle; what begins with `/` is an address already. */
const isPath = (reference: string): boolean => !reference.includes('://') && !reference.startsWith('/');

/** Stores the picture at a path of a bundle. Resolves to why it can't be used where it can't. */
export type StoreFile = (path: string, needsThumbnail: boolean) => Promise<StoredImage | string>;

interface PicturePorts {
  readonly images: Pick<ImageStore, 'size'>;
  readonly index: Pick<StoredImageIndex, 'find' | 'keep'>;
  /** Null for records that come without files. */
  readonly storeFile: StoreFile | null;
}

type Addresses = Pick<Pictured, 'images' | 'thumbnails'>;
type Known = ReadonlyMap<string, StoredImage>;

/** Pictures whose addresses are remembered by path, for records that share them. */
const REMEMBERED_MAX = 5_000;
const RECORDS_AT_ONCE = 4;
const NOT_STORED = 'is no https:// address, and of no picture that is stored here';
const NO_PATHS = 'is a path in a bundle; give an https:// address here, or import the bundle';

/**
 * Turns the pictures that records name into addresses (contract 13.5, 15.2, 15.9): an `https://` address stays, that of a
 * stored image as answers give it is the stored one again, and a path is stored by its content. A stored picture has its
 * thumbnail where none is named.
 */
export class RecordPictures implements Pictures {
  readonly #files = new LRUCache<string, Promise<StoredImage | string>>({ max: REMEMBERED_MAX });

  constructor(private readonly ports: PicturePorts) {}

  /** The records with addresses; one with a picture that is missing or can't be decoded is rejected. */
  async storeAll<Given extends PicturedRecord>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>> {
    const references = batch.flatMap(({ record }) => picturedOf(record).flatMap(referencesOf));
    const named = references.flatMap((reference) => storedImageOf(reference) ?? []);
    // Most records of a large catalog name addresses of others alone.
    if (named.length === 0 && !references.some(isPath)) return batch;
    const known = await this.#known(named);
    const stored = await pMap(
      batch,
      async (numbered) => {
        try {
          return { ...numbered, record: await this.#withAddresses(numbered.record, known) };
        } catch (failure) {
          if (!(failure instanceof PictureFault)) throw failure;
          reject(numbered.line, failure.field, failure.message);
          return null;
        }
      },
      { concurrency: RECORDS_AT_ONCE },
    );
    return stored.filter((numbered) => numbered !== null);
  }

  /** Stored images by their addresses, those that the database knows; none of them is removed from now on. */
  async #known(addresses: readonly string[]): Promise<Known> {
    if (addresses.length === 0) return new Map();
    await this.ports.index.keep(addresses);
    const found = await this.ports.index.find(addresses.map(digestIn));
    return new Map([...found.values()].map((image) => [image.address, image]));
  }

  async #withAddresses<Given extends PicturedRecord>(record: Given, known: Known): Promise<Given> {
    if ('deleted' in record) return record;
    const own = { ...record, ...(await this.#addresses(record, '', known)) };
    if (!record.variants) return own;
    const variants: VariantRecord[] = [];
    for (const [position, variant] of record.variants.entries())
      variants.push({ ...variant, ...(await this.#addresses(variant, `variants.${position}.`, known)) });
    return { ...own, variants };
  }

  /** @param before stands before the names of the fields */
  async #addresses({ images, thumbnails }: Pictured, before: string, known: Known): Promise<Addresses> {
    const needed = images.map((_, position) => thumbnails[position] === undefined);
    const stored = await this.#all(images, `${before}images`, needed, known);
    const named = await this.#all(thumbnails, `${before}thumbnails`, [], known);
    const missing = missingThumbnails(stored.slice(named.length));
    return { images: stored.map(addressOf), thumbnails: [...named.map(addressOf), ...missing] };
  }

  async #all(
    references: readonly string[],
    field: string,
    needed: readonly boolean[],
    known: Known,
  ): Promise<StoredImage[]> {
    const all: StoredImage[] = [];
    for (const [position, reference] of references.entries()) {
      const found = await this.#image(reference, needed[position] ?? false, known);
      if (typeof found === 'string') throw new PictureFault(`${field}.${position}`, `${reference}: ${found}`);
      all.push(found);
    }
    return all;
  }

  /** Or why it can't be used. */
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

/** What of a record has pictures: itself and its variants. */
const picturedOf = (record: PicturedRecord): readonly Pictured[] =>
  'deleted' in record ? [] : [record, ...(record.variants ?? [])];

const referencesOf = ({ images, thumbnails }: Pictured): readonly string[] =>
  thumbnails.length === 0 ? images : [...images, ...thumbnails];

const addressOf = ({ address }: StoredImage): string => address;

/**
 * Thumbnails stand at the positions of their images. An `https://` image has none of its own and stands for itself
 * where a later one has; at the end of the list it is left out.
 */
function missingThumbnails(images: readonly StoredImage[]): string[] {
  const last = images.findLastIndex(({ thumbnail }) => thumbnail !== null);
  return images.slice(0, last + 1).map(({ address, thumbnail }) => thumbnail ?? address);
}

/** A picture of a record that can't be taken. */
class PictureFault extends Error {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(reason);
  }
}
