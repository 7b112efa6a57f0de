import type {
  Account,
  CatalogRow,
  DeletionAnswer,
  FeedbackAnswer,
  IdentifyRequest,
  ImageAnswer,
  MatchedRow,
  QueryAnswer,
  RecordAnswer,
  RecordStatusAnswer,
  RecordsAnswer,
  Refusal,
  SuggestAnswer,
} from '../../../client/schema';
import { Failure } from './failure';

export type Row = CatalogRow & Partial<Pick<MatchedRow, 'confidence' | 'evidence'>>;
/** The rows of a query, or those shown by photos. */
export type CatalogAnswer = Omit<QueryAnswer, 'data' | 'sort_applied'> & { readonly data: Row[] };
export type Variant = NonNullable<Row['variants']>[number];
export type Evidence = NonNullable<Row['evidence']>;
export type Category = Account['categories'][number];
export type Suggestion = SuggestAnswer['data'][number];

/** One call of the API as the page makes it, and shows it. */
export interface Call<Answer = CatalogAnswer> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the page, without a slash at its start. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** In place of JSON: its bytes, with their media type. */
  readonly content?: Blob;
  /** Never set: gives the compiler the type of the answer. */
  readonly answers?: Answer;
}

type Body = Readonly<Record<string, unknown>>;
const get = <Answer = CatalogAnswer>(path: string): Call<Answer> => ({ method: 'GET', path });
const post = <Answer = CatalogAnswer>(path: string, body: Body): Call<Answer> => ({
  method: 'POST',
  path: `v3/${path}`,
  body,
});
const inCategory = (id: string) => (id === '' ? {} : { category_id: id });
const itemPath = (id: string) => `v3/catalog/items/${encodeURIComponent(id)}`;
const recordPath = (id: string) => `v3/catalog/records/${encodeURIComponent(id)}`;

/** What a key may do, what its account has, and the categories of the catalog; free. */
export const showAccount = get<Account>('v3/account');
export const queryCatalog = (body: Body) => post('catalog/query', body);
export const suggest = (text: string, category: string) =>
  post<SuggestAnswer>('catalog/suggest', { query: text, ...inCategory(category) });
export const showItem = (id: string) => get(`${itemPath(id)}?includes=taxonomy,pricing`);
export const showSimilar = (id: string) => get(`${itemPath(id)}/similar`);

/** How a photo is written in a request. */
export type SentPhoto = Pick<IdentifyRequest, 'url' | 'base64' | 'region'>;

/** The options of a request besides the photos. */
export interface IdentifyOptions {
  /** The category of the item; empty: any. */
  readonly category: string;
  readonly pricing: boolean;
  /** Whether the nearest rows are wanted even if none is certain (contract 7.8). */
  readonly nearest: boolean;
}

/** Photos of one item; prices are requested explicitly, since they cost more. */
export const identify = (
  photos: readonly SentPhoto[],
  { category, pricing, nearest }: IdentifyOptions,
): Call =>
  post('vision/identify', {
    ...(photos.length === 1 ? photos[0] : { images: photos }),
    ...inCategory(category),
    ...(nearest ? { min_confidence: 0 } : {}),
    explain: true,
    includes: pricing ? ['taxonomy', 'pricing'] : ['taxonomy'],
  });

/** What the photos of an answer showed; null: nothing that the catalog has. */
export const correct = (predictionId: string, correctId: string | null) =>
  post<FeedbackAnswer>(`vision/predictions/${encodeURIComponent(predictionId)}/feedback`, {
    correct_id: correctId,
  });

/** The bytes of a picture; the service reads its format from them. */
export const storeImage = (picture: Blob): Call<ImageAnswer> => ({
  method: 'POST',
  path: 'v3/catalog/images',
  content: picture.slice(0, picture.size, 'application/octet-stream'),
});

export const writeRecords = (lines: readonly object[]): Call<RecordsAnswer> => ({
  method: 'PUT',
  path: 'v3/catalog/records',
  content: new Blob(
    lines.map((line) => `${JSON.stringify(line)}\n`),
    { type: 'application/x-ndjson' },
  ),
});

export const readRecord = (id: string) => get<RecordAnswer>(recordPath(id));
export const recordStatus = (id: string) => get<RecordStatusAnswer>(`${recordPath(id)}/status`);
export const deleteRecord = (id: string): Call<DeletionAnswer> => ({
  method: 'DELETE',
  path: recordPath(id),
});

/** The fields common to all answers. */
export type Success = Pick<CatalogAnswer, 'success' | 'credits_used'>;

/** A received answer. */
export interface Answered<Answer = CatalogAnswer> {
  readonly answer: Answer;
  /** The credits left to the account; null if it has no limit. */
  readonly creditsRemaining: number | null;
  readonly tookMs: number;
  /** The id for feedback on a vision answer; null if there is none. */
  readonly predictionId: string | null;
}

export interface Sending {
  readonly signal?: AbortSignal;
  /** Called with the fraction of the body sent so far, 0 to 1. */
  readonly onSent?: (part: number) => void;
}

/**
 * Makes a call. Uses XMLHttpRequest, since fetch does not report how much of a photo was sent.
 *
 * @throws Failure for every answer that is not a success, or for no answer; AbortError's DOMException when it was cancelled
 */
export function sendCall<Answer>(
  { method, path, body, content }: Call<Answer>,
  key: string,
  { signal, onSent }: Sending,
): Promise<Answered<Answer>> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = new XMLHttpRequest();
    const number = (header: string) => {
      const value = request.getResponseHeader(header);
      return value === null ? null : Number(value);
    };
    request.open(method, path);
    request.responseType = 'json';
    request.setRequestHeader('Authorization', `Bearer ${key}`);
    if (onSent) request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status, response } = request;
      if (response?.success) {
        const tookMs = Math.round(performance.now() - startedAt);
        const predictionId = request.getResponseHeader('X-Prediction-Id');
        resolve({ answer: response, creditsRemaining: number('X-Credits-Remaining'), tookMs, predictionId });
        return;
      }
      const refusal: Partial<Refusal> = response ?? {};
      const message = refusal.message ?? `The service answered with status ${status} and no explanation.`;
      reject(new Failure(status, message, refusal, number('Retry-After')));
    };
    request.onerror = () => reject(new Failure(0, 'No answer.'));
    request.onabort = () => reject(new DOMException('taken back', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    // A Blob declares its own type.
    if (body) request.setRequestHeader('Content-Type', 'application/json');
    request.send(content ?? (body ? JSON.stringify(body) : null));
    if (signal?.aborted) request.abort();
  });
}
