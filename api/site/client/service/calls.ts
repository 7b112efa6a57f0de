import type { IdentifyRequest } from '../../../client/schema';

/** One call of the API as the page makes it, and shows it. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Relative to the page, without a slash at its start. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What a key may do and its account has; free. */
export const showAccount: Call = { method: 'GET', path: 'v3/account' };

export const queryCatalog = (body: Readonly<Record<string, unknown>>): Call => ({
  method: 'POST',
  path: 'v3/catalog/query',
  body,
});

export const listCategories = queryCatalog({ taxonomy_node: 'category', page_size: 100, sort: 'name_asc' });

export const suggest = (text: string, category: string): Call => ({
  method: 'POST',
  path: 'v3/catalog/suggest',
  body: { query: text, ...(category === '' ? {} : { category_id: category }) },
});

export const showItem = (id: string): Call => ({
  method: 'GET',
  path: `v3/catalog/items/${encodeURIComponent(id)}?includes=taxonomy,pricing`,
});

export const showSimilar = (id: string): Call => ({
  method: 'GET',
  path: `v3/catalog/items/${encodeURIComponent(id)}/similar`,
});

/** What is asked for beside the photos. */
export interface IdentifyOptions {
  /** The category that the item is of; empty: any. */
  readonly category: string;
  readonly pricing: boolean;
}

/** What photos of one item are sent as; prices are asked for by name, since they cost more. */
export const identify = (
  photos: readonly Pick<IdentifyRequest, 'url' | 'base64' | 'region'>[],
  { category, pricing }: IdentifyOptions,
): Call => ({
  method: 'POST',
  path: 'v3/vision/identify',
  body: {
    ...(photos.length === 1 ? photos[0] : { images: photos }),
    ...(category === '' ? {} : { category_id: category }),
    explain: true,
    includes: pricing ? ['taxonomy', 'pricing'] : ['taxonomy'],
  },
});

/** What the photos of an answer showed; null: nothing that the catalog has. */
export const correct = (predictionId: string, productId: string | null): Call => ({
  method: 'POST',
  path: `v3/vision/predictions/${encodeURIComponent(predictionId)}/feedback`,
  body: { correct_id: productId },
});
