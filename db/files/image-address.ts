import { createHash } from 'node:crypto';
import { IMAGE_NAME, type ImageExtension } from '../../models/catalog/item';

/** Each request to a bucket takes a while. */
export const IMAGES_AT_ONCE = { concurrency: 8 };

export const imageAddress = (bytes: Buffer, extension: ImageExtension): string =>
  `/images/${sha256(bytes)}.${extension}`;

/** The hash and the extension in an address of ours; null for any other. */
export function addressParts(
  address: string,
): { readonly digest: string; readonly extension: ImageExtension } | null {
  const [, digest, extension] = (address.startsWith('/images/') && IMAGE_NAME.exec(address.slice(8))) || [];
  return digest === undefined ? null : { digest, extension: extension as ImageExtension };
}

export const isContentOf = (address: string, bytes: Buffer): boolean =>
  addressParts(address)?.digest === sha256(bytes);

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
