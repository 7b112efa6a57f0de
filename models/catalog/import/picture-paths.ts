import type { ImageStore, RecordStore } from '../../ports';
import type { Pictured, VariantRecord } from './records';
import type { Batch, PicturedRecord, Pictures, Reject } from './stage';

/** Whether a picture is named by a path inside a bundle; what begins with `/` is an address already. */
export const isPath = (reference: string): boolean =>
  !reference.includes('://') && !reference.startsWith('/');

/** How answers name a stored image: the name is the hash of its content, so wherever it is served it is the same. */
const STORED_IMAGE = /\/images\/[0-9a-f]{64}\.(?:jpg|png|webp)$/;

/** The stored image that an address in an answer is of, if it may be one. */
export const storedImageOf = (address: string): string | undefined => STORED_IMAGE.exec(address)?.[0];

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

const NO_PATHS = 'is a path in a bundle; give an https:// address here, or import the bundle';

/** The pictures of records that come without files (contract 15.2): addresses stay (`keptAddress`); a path is a reject. */
export class AddressedPictures implements Pictures {
  constructor(
    private readonly images: Pick<ImageStore, 'size'>,
    private readonly store: Pick<RecordStore, 'keepImages'>,
  ) {}

  async storeAll<Given extends PicturedRecord>(batch: Batch<Given>, reject: Reject): Promise<Batch<Given>> {
    const taken: { line: number; bytes: number; record: Given }[] = [];
    const named = batch.flatMap(({ record }) => storedImagesOf(record));
    if (named.length > 0) await this.store.keepImages(named);
    for (const numbered of batch) {
      try {
        const record = await withPictures(numbered.record, (...pictured) => this.#addresses(...pictured));
        taken.push({ ...numbered, record });
      } catch (failure) {
        if (!(failure instanceof PictureFault)) throw failure;
        reject(numbered.line, failure.field, failure.message);
      }
    }
    return taken;
  }

  async #addresses({ images, thumbnails }: Pictured, before: string): Promise<Addresses> {
    return {
      images: await this.#all(images, `${before}images`),
      thumbnails: await this.#all(thumbnails, `${before}thumbnails`),
    };
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
