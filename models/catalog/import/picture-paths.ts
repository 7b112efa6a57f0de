import type { ImageStore, StoredImage, StoredImageIndex } from '../../ports';
import type { Pictured, VariantRecord } from './records';
import type { Batch, PicturedRecord, Pictures, Reject } from './stage';

/** Whether a picture is named by a path inside a bundle; what begins with `/` is an address already. */
export const isPath = (reference: string): boolean =>
  !reference.includes('://') && !reference.startsWith('/');

/** How answers name a stored image: the name is the hash of its content, so wherever it is served it is the same. */
const STORED_IMAGE = /\/images\/[0-9a-f]{64}\.(?:jpg|png|webp)$/;

/** The stored image that an address in an answer is of, if it may be one. */
export const storedImageOf = (address: string): string | undefined => STORED_IMAGE.exec(address)?.[0];

/** The SHA-256 that the address of a stored image is made of. */
const digestIn = (address: string): string => address.slice('/images/'.length, address.lastIndexOf('.'));

export const NOT_STORED = 'is no https:// address, and of no picture that is stored here';

/**
 * An address of a picture, but that of a stored image as answers give it, which is the stored one again (contract 13.5, 15.2);
 * null for one by http of no stored image.
 */
export async function keptAddress(images: Pick<ImageStore, 'size'>, address: string): Promise<string | null> {
  const stored = storedImageOf(address);
  if (stored !== undefined && (await images.size(stored)) !== null) return stored;
  return /^http:/i.test(address) ? null : address;
}

/** Whether any picture is, or is to be, stored here. */
export const hasStored = ({ images, thumbnails }: Pictured): boolean =>
  [...images, ...thumbnails].some((reference) => isPath(reference) || storedImageOf(reference) !== undefined);

export const namesStored = (record: PicturedRecord): boolean => picturedOf(record).some(hasStored);

/** The stored images that a record names by their addresses. */
const storedImagesOf = (record: PicturedRecord): string[] =>
  picturedOf(record).flatMap(({ images, thumbnails }) =>
    [...images, ...thumbnails].flatMap((reference) => storedImageOf(reference) ?? []),
  );

/** What of a record has pictures: itself and its variants. */
const picturedOf = (record: PicturedRecord): readonly Pictured[] =>
  'deleted' in record ? [] : [record, ...(record.variants ?? [])];

/** A picture of a record that can't be taken. */
export class PictureFault extends Error {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(reason);
  }
}

type Addresses = Pick<Pictured, 'images' | 'thumbnails'>;

/**
 * A record with other pictures, of its variants too.
 *
 * @param addressesOf gets what has pictures, and what stands before the names of its fields
 */
export async function withPictures<Given extends PicturedRecord>(
  record: Given,
  addressesOf: (pictured: Pictured, before: string) => Promise<Addresses>,
): Promise<Given> {
  if ('deleted' in record) return record;
  const own = { ...record, ...(await addressesOf(record, '')) };
  if (!record.variants) return own;
  const variants: VariantRecord[] = [];
  for (const [position, variant] of record.variants.entries()) {
    variants.push({ ...variant, ...(await addressesOf(variant, `variants.${position}.`)) });
  }
  return { ...own, variants };
}

/**
 * Thumbnails stand at the positions of their images. An `https://` image has none of its own and stands for itself
 * where a later one has; at the end of the list it is left out.
 */
export function missingThumbnails(images: readonly StoredImage[]): string[] {
  const last = images.findLastIndex(({ thumbnail }) => thumbnail !== null);
  return images.slice(0, last + 1).map(({ address, thumbnail }) => thumbnail ?? address);
}

const NO_PATHS = 'is a path in a bundle; give an https:// address here, or import the bundle';

/**
 * The pictures of records that come without files: addresses stay (`keptAddress`), a stored picture has its thumbnail where
 * none is named, and a path is a reject (contract 15.2, 15.9).
 */
export class AddressedPictures implements Pictures {
  constructor(
    private readonly images: Pick<ImageStore, 'size'>,
    private readonly index: Pick<StoredImageIndex, 'find' | 'keep'>,
  ) {}

  async storeAll<Given extends PicturedRecord>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>> {
    const taken: { line: number; bytes: number; record: Given }[] = [];
    const named = batch.flatMap(({ record }) => storedImagesOf(record));
    if (named.length > 0) await this.index.keep(named);
    const known = await this.#known(named);
    for (const numbered of batch) {
      try {
        const record = await withPictures(numbered.record, (...pictured) =>
          this.#addresses(...pictured, known),
        );
        taken.push({ ...numbered, record });
      } catch (failure) {
        if (!(failure instanceof PictureFault)) throw failure;
        reject(numbered.line, failure.field, failure.message);
      }
    }
    return taken;
  }

  /** Stored images by their addresses, those of them that the database knows. */
  async #known(addresses: readonly string[]): Promise<ReadonlyMap<string, StoredImage>> {
    if (addresses.length === 0) return new Map();
    const found = await this.index.find(addresses.map(digestIn));
    return new Map([...found.values()].map((image) => [image.address, image]));
  }

  async #addresses(
    pictured: Pictured,
    before: string,
    known: ReadonlyMap<string, StoredImage>,
  ): Promise<Addresses> {
    const images = await this.#all(pictured.images, `${before}images`);
    const named = await this.#all(pictured.thumbnails, `${before}thumbnails`);
    const stored = images.map((address) => known.get(address) ?? { address, thumbnail: null });
    return { images, thumbnails: [...named, ...missingThumbnails(stored.slice(named.length))] };
  }

  #all(references: readonly string[], field: string): Promise<string[]> {
    return Promise.all(
      references.map(async (reference, position) => {
        const fault = (reason: string) => new PictureFault(`${field}.${position}`, `${reference}: ${reason}`);
        if (isPath(reference)) throw fault(NO_PATHS);
        const address = await keptAddress(this.images, reference);
        if (address === null) throw fault(NOT_STORED);
        return address;
      }),
    );
  }
}
