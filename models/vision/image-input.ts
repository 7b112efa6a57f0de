import type { Filter } from '../catalog/catalog-query';
import { AppError, type ErrorExtras } from '../errors';
import type { PreparedImage, SmallImage } from './neighbours';

/** A part of an upright picture, as fractions of its width and height: within 0..1. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Photos of one call at most (contract 7.14). */
export const PHOTOS_MAX = 5;

interface PhotoDetails {
  /** The part to use; default: all of it. */
  readonly region?: Region | undefined;
  /** Its position, when it was sent in a list. */
  readonly index?: number | undefined;
}

export type ImageAddress = { readonly kind: 'url'; readonly url: URL } & PhotoDetails;

/** A photo as a caller names it; `url` takes precedence when both are sent (contract 7.1). */
export type ImageInput = ImageAddress | ({ readonly kind: 'bytes'; readonly bytes: Buffer } & PhotoDetails);

/** A photo that is already prepared, including its region. */
export type PreparedInput = { readonly kind: 'prepared'; readonly image: SmallImage };

export type KeptInput = PreparedInput & { readonly image: Pick<PreparedImage, 'jpeg' | 'digest'> };

/** A request about the photos of one item, in one of their forms. */
export interface PhotoRequest<Photo> {
  /** One to five. */
  readonly photos: readonly Photo[];
  /** Slug or name of the item's category, if the caller knows it. */
  readonly category: string | null;
  /** Filters that the item must pass, ANDed. */
  readonly filters: readonly Filter[];
  readonly explain: boolean;
  /** Replaces the floor; null keeps it. */
  readonly minConfidence: number | null;
}

/** Rethrows a failure of a photo, which names its position when it was sent in a list. */
export const failAt =
  ({ index }: PhotoDetails) =>
  (failure: unknown): never => {
    throw index === undefined ? failure : atPath(`images.${index}.`, failure, { index });
  };

/** The same failure about a part of a body. @param path of the part, with a dot at its end */
export function atPath(path: string, failure: unknown, more: ErrorExtras = {}): unknown {
  if (!(failure instanceof AppError)) return failure;
  const { code, message, extras, headers, cause } = failure;
  const { field } = extras;
  const placed = { ...extras, ...more, ...(field === undefined ? {} : { field: `${path}${field}` }) };
  return new AppError(code, message, { extras: placed, headers, cause });
}
