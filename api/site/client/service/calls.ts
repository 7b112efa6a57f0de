/** One call of the API as the page makes it, and shows it. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Relative to the page, without a slash at its start. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export const queryCatalog = (body: Readonly<Record<string, unknown>>): Call => ({
  method: 'POST',
  path: 'v3/catalog/query',
  body,
});

export const showItem = (id: string): Call => ({
  method: 'GET',
  path: `v3/catalog/items/${encodeURIComponent(id)}?includes=taxonomy,pricing`,
});

/** What a photo is sent as; prices are asked for by name, since they cost more. */
export const identify = (photo: { url: string } | { base64: string }, pricing: boolean): Call => ({
  method: 'POST',
  path: 'v3/vision/identify',
  body: { ...photo, includes: pricing ? ['taxonomy', 'pricing'] : ['taxonomy'] },
});
