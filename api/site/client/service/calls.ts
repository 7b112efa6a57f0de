import type { z } from 'zod';
import type { IdentifyRequest } from '../../../client/schema';
import {
  type accountAnswer,
  type feedbackAnswer,
  type identifyAnswer,
  type queryAnswer,
  type suggestAnswer,
} from '../../../v3/answers';
import type { errorAnswer } from '../../../wire/answers';
import { Failure } from './failure';

/** The answers of the API, typed by the schemas that it presents them with. */
type QueryAnswer = z.output<typeof queryAnswer>;
type MatchedRow = z.output<typeof identifyAnswer>['data'][number];
export type Row = QueryAnswer['data'][number] & Partial<Pick<MatchedRow, 'confidence' | 'evidence'>>;
/** The rows of a query, or those that photos show. */
export type CatalogAnswer = Omit<QueryAnswer, 'data' | 'sort_applied'> &
  Partial<Pick<QueryAnswer, 'sort_applied'>> & { readonly data: Row[] };
export type Variant = NonNullable<Row['variants']>[number];
export type Pricing = NonNullable<Variant['pricing']>;
export type MarketEstimate = NonNullable<Pricing['market_estimates']>[number];
export type FileLink = NonNullable<Pricing['pricing_data']>[number];
export type Evidence = NonNullable<Row['evidence']>;
export type AccountAnswer = z.output<typeof accountAnswer>;
export type Category = AccountAnswer['categories'][number];
export type FeedbackAnswer = z.output<typeof feedbackAnswer>;
export type SuggestAnswer = z.output<typeof suggestAnswer>;
export type Suggestion = SuggestAnswer['data'][number];
export type ErrorAnswer = z.output<typeof errorAnswer>;

/** One call of the API as the page makes it, and shows it. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Relative to the page, without a slash at its start. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What a key may do, what its account has, and the categories of the catalog; free. */
export const showAccount: Call = { method: 'GET', path: 'v3/account' };

export const queryCatalog = (body: Readonly<Record<string, unknown>>): Call => ({
  method: 'POST',
  path: 'v3/catalog/query',
  body,
});

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
  /** Whether the nearest rows are wanted though none is sure (contract 7.8). */
  readonly nearest: boolean;
}

/** What photos of one item are sent as; prices are asked for by name, since they cost more. */
export const identify = (
  photos: readonly Pick<IdentifyRequest, 'url' | 'base64' | 'region'>[],
  { category, pricing, nearest }: IdentifyOptions,
): Call => ({
  method: 'POST',
  path: 'v3/vision/identify',
  body: {
    ...(photos.length === 1 ? photos[0] : { images: photos }),
    ...(category === '' ? {} : { category_id: category }),
    ...(nearest ? { min_confidence: 0 } : {}),
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

/** What came back. */
export interface Answered<Answer extends Success = CatalogAnswer> {
  readonly answer: Answer;
  /** What the account has left; null where it has no limit. */
  readonly creditsRemaining: number | null;
  readonly tookMs: number;
  /** The name that feedback on a vision answer goes by; null where there is none. */
  readonly predictionId: string | null;
}

type Success = AccountAnswer | CatalogAnswer | FeedbackAnswer | SuggestAnswer;

interface Sending {
  readonly key: string;
  readonly signal: AbortSignal;
  /** The part of the body that was sent so far, 0 to 1. */
  readonly onSent?: (part: number) => void;
}

/**
 * Makes a call. Through XMLHttpRequest, since fetch does not tell how much of a photo was sent.
 *
 * @throws Failure for every answer that is no success, or none at all; AbortError's DOMException when it was taken back
 */
export function sendCall<Answer extends Success = CatalogAnswer>(
  { method, path, body }: Call,
  { key, signal, onSent }: Sending,
): Promise<Answered<Answer>> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = new XMLHttpRequest();
    const header = (name: string) => numberOrNull(request.getResponseHeader(name));
    request.open(method, path);
    request.responseType = 'json';
    request.setRequestHeader('Authorization', `Bearer ${key}`);
    if (onSent) request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status } = request;
      const answer = request.response as Answer | ErrorAnswer | null;
      if (answer?.success) {
        const creditsRemaining = header('X-Credits-Remaining');
        const predictionId = request.getResponseHeader('X-Prediction-Id');
        const tookMs = Math.round(performance.now() - startedAt);
        resolve({ answer, creditsRemaining, tookMs, predictionId });
      } else {
        const message = answer?.message ?? `The service answered with status ${status} and no explanation.`;
        reject(new Failure(status, message, answer ?? {}, header('Retry-After')));
      }
    };
    request.onerror = () => reject(new Failure(0, 'No answer.'));
    request.onabort = () => reject(new DOMException('taken back', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    if (body) request.setRequestHeader('Content-Type', 'application/json');
    request.send(body ? JSON.stringify(body) : null);
    if (signal.aborted) request.abort();
  });
}

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));
