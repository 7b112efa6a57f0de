import type * as Api from '../../../client/schema';
import { Failure } from './failure';

export type Row = Api.CatalogRow & Partial<Pick<Api.MatchedRow, 'confidence' | 'evidence'>>;
export type CatalogAnswer = Omit<Api.QueryAnswer, 'data' | 'sort_applied'> & { readonly data: Row[] };
export type Variant = NonNullable<Row['variants']>[number];
export type Evidence = NonNullable<Row['evidence']>;
export type Category = Api.Account['categories'][number];
export type Suggestion = Api.SuggestAnswer['data'][number];

type Body = Readonly<Record<string, unknown>>;

export interface Call<Answer = CatalogAnswer> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the page, without a slash at its start. */
  readonly path: string;
  readonly body?: Body;
  /** Sent in place of JSON. */
  readonly content?: Blob;
  /** Never set; carries the type of the answer. */
  readonly answers?: Answer;
}

type Sent = Pick<Call, 'body' | 'content'>;
const call = <Answer>(method: Call['method'], path: string, sent: Sent = {}): Call<Answer> => ({
  method,
  path: `v3/${path}`,
  ...sent,
});
const get = <Answer = CatalogAnswer>(path: string) => call<Answer>('GET', path);
const post = <Answer = CatalogAnswer>(path: string, body: Body) => call<Answer>('POST', path, { body });
const inCategory = (id: string) => (id === '' ? {} : { category_id: id });
const itemPath = (id: string) => `catalog/items/${encodeURIComponent(id)}`;
const recordPath = (id: string) => `catalog/records/${encodeURIComponent(id)}`;

/** What a key may do, what its account has, and the categories of the catalog; free. */
export const showAccount = get<Api.Account>('account');
export const queryCatalog = (body: Body) => post('catalog/query', body);
export const suggest = (text: string, category: string) =>
  post<Api.SuggestAnswer>('catalog/suggest', { query: text, ...inCategory(category) });
export const showItem = (id: string) => get(`${itemPath(id)}?includes=taxonomy,pricing`);
export const showSimilar = (id: string) => get(`${itemPath(id)}/similar`);

export type SentPhoto = Pick<Api.IdentifyRequest, 'url' | 'base64' | 'region'>;

/** What is wanted besides the photos: a category (empty: any), prices, the nearest rows even if none is sure (contract 7.8). */
export type IdentifyOptions = Readonly<{ category: string; pricing: boolean; nearest: boolean }>;

/** Photos of one item; prices are requested explicitly, since they cost more. */
export const identify = (photos: readonly SentPhoto[], { category, pricing, nearest }: IdentifyOptions) =>
  post('vision/identify', {
    ...(photos.length === 1 ? photos[0] : { images: photos }),
    ...inCategory(category),
    ...(nearest ? { min_confidence: 0 } : {}),
    explain: true,
    includes: pricing ? ['taxonomy', 'pricing'] : ['taxonomy'],
  });

/** What the photos of an answer showed; null: nothing that the catalog has. */
export const correct = (predictionId: string, correctId: string | null) =>
  post<Api.FeedbackAnswer>(`vision/predictions/${encodeURIComponent(predictionId)}/feedback`, {
    correct_id: correctId,
  });

export const storeImage = (picture: Blob) =>
  call<Api.ImageAnswer>('POST', 'catalog/images', {
    content: picture.slice(0, picture.size, 'application/octet-stream'),
  });

export const writeRecords = (lines: readonly object[]) => {
  const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
  const content = new Blob(texts, { type: 'application/x-ndjson' });
  return call<Api.RecordsAnswer>('PUT', 'catalog/records', { content });
};

export const readRecord = (id: string) => get<Api.RecordAnswer>(recordPath(id));
export const recordStatus = (id: string) => get<Api.RecordStatusAnswer>(`${recordPath(id)}/status`);
export const deleteRecord = (id: string) => call<Api.DeletionAnswer>('DELETE', recordPath(id));

export interface Answered<Answer = CatalogAnswer> {
  readonly answer: Answer;
  /** The credits left to the account; null if it has no limit. */
  readonly creditsRemaining: number | null;
  readonly tookMs: number;
  /** The id for feedback on a vision answer; null if there is none. */
  readonly predictionId: string | null;
}

/** `onSent` is called with the fraction of the body sent so far, 0 to 1. */
export type Sending = Readonly<{ signal?: AbortSignal; onSent?: (part: number) => void }>;

/**
 * Makes a call. Uses XMLHttpRequest, since fetch does not report how much of a photo was sent.
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
    // No key has other characters, such as the ellipsis of an example, and no header takes them.
    request.setRequestHeader('Authorization', `Bearer ${key.replace(/[^!-~]/g, '?')}`);
    if (onSent) request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status, response } = request;
      if (response?.success) {
        const tookMs = Math.round(performance.now() - startedAt);
        const predictionId = request.getResponseHeader('X-Prediction-Id');
        resolve({ answer: response, creditsRemaining: number('X-Credits-Remaining'), tookMs, predictionId });
        return;
      }
      const refusal: Partial<Api.Refusal> = response ?? {};
      const message = refusal.message ?? `The service answered with status ${status} and no explanation.`;
      reject(new Failure(status, message, refusal, number('Retry-After')));
    };
    request.onerror = () => reject(new Failure(0, 'No answer.'));
    // Browsers also abort by themselves.
    request.onabort = () =>
      reject(signal?.aborted ? new DOMException('taken back', 'AbortError') : new Failure(0, 'No answer.'));
    signal?.addEventListener('abort', () => request.abort());
    // A Blob declares its own type.
    if (body) request.setRequestHeader('Content-Type', 'application/json');
    request.send(content ?? (body ? JSON.stringify(body) : null));
    if (signal?.aborted) request.abort();
  });
}
