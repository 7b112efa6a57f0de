/** A photo as a caller names it; `url` wins when both are sent (interface.md 4.3). */
export type ImageInput =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'bytes'; readonly bytes: Buffer };
