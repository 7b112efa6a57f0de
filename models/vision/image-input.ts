import type { Filter } from '../catalog/catalog-query';
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

interface Placed {
  /** The part that is looked at; all of it when left out. */
  readonly region?: Region | undefined;
  /** Its position, when it was sent in a list. */
  readonly index?: number | undefined;
}

export type ImageAddress = { readonly kind: 'url'; readonly url: URL } & Placed;

/** A photo as a caller names it; `url` wins when both are sent (contract 7.1). */
export type ImageInput = ImageAddress | ({ readonly kind: 'bytes'; readonly bytes: Buffer } & Placed);

/** A photo that is prepared already, its region too. */
export type PreparedInput<Image = SmallImage> = { readonly kind: 'prepared'; readonly image: Image };

/** One that can be stored. */
export type KeptInput = PreparedInput<Pick<PreparedImage, 'jpeg' | 'digest'>>;

/** What a caller asks of the photos of one item, in one of their forms. */
export interface AskedPhotos<Photo> {
  /** One to five. */
  readonly photos: readonly Photo[];
  /** Slug or name of the category that the item is of, when the caller knows it. */
  readonly category: string | null;
  /** What the item passes, ANDed. */
  readonly filters: readonly Filter[];
  readonly explain: boolean;
  /** Takes the place of the floor; null leaves it. */
  readonly minConfidence: number | null;
}
