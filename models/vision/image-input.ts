/** A photo as a caller names it; `url` wins when both are sent (contract 7.1). */
export type ImageInput =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'bytes'; readonly bytes: Buffer };
