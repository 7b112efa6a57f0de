import type { z } from 'zod';
import type { IdentifyRequest } from '../../../client/schema';
import {
  type accountAnswer,
  type feedbackAnswer,
  type identifyAnswer,
  type queryAnswer,
  type suggestAnswer,
} from '../../../v3/answers';
import type {
  deletionAnswer,
  imageAnswer,
  recordAnswer,
  recordStatusAnswer,
  recordsAnswer,
} from '../../../v3/record-answers';
import type { errorAnswer } from '../../../wire/answers';

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
export type ImageAnswer = z.output<typeof imageAnswer>;
export type RecordAnswer = z.output<typeof recordAnswer>;
export type RecordsAnswer = z.output<typeof recordsAnswer>;
export type RecordStatusAnswer = z.output<typeof recordStatusAnswer>;
type DeletionAnswer = z.output<typeof deletionAnswer>;
export type ErrorAnswer = z.output<typeof errorAnswer>;

/** One call of the API as the page makes it, and shows it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the page, without a slash at its start. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** In place of JSON: its bytes, with their media type. */
  readonly content?: Blob;
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

const recordPath = (id: string) => `v3/catalog/records/${encodeURIComponent(id)}`;

/** The bytes of a picture; the service reads its format from them. */
export const storeImage = (picture: Blob): Call => ({
  method: 'POST',
  path: 'v3/catalog/images',
  content: picture.slice(0, picture.size, 'application/octet-stream'),
});

export const writeRecords = (lines: readonly object[]): Call => ({
  method: 'PUT',
  path: 'v3/catalog/records',
  content: new Blob(
    lines.map((line) => `${JSON.stringify(line)}\n`),
    { type: 'application/x-ndjson' },
  ),
});

export const readRecord = (id: string): Call => ({ method: 'GET', path: recordPath(id) });

export const deleteRecord = (id: string): Call => ({ method: 'DELETE', path: recordPath(id) });

export const recordStatus = (id: string): Call => ({ method: 'GET', path: `${recordPath(id)}/status` });

/** What came back. */
export interface Answered<Answer extends Success = CatalogAnswer> {
  readonly answer: Answer;
  /** What the account has left; null where it has no limit. */
  readonly creditsRemaining: number | null;
  readonly tookMs: number;
  /** The name that feedback on a vision answer goes by; null where there is none. */
  readonly predictionId: string | null;
}

type Success =
  | AccountAnswer
  | CatalogAnswer
  | DeletionAnswer
  | FeedbackAnswer
  | ImageAnswer
  | RecordAnswer
  | RecordsAnswer
  | RecordStatusAnswer
  | SuggestAnswer;

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
  { method, path, body, content }: Call,
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
    // What is a Blob names its type itself.
    if (body) request.setRequestHeader('Content-Type', 'application/json');
    request.send(content ?? (body ? JSON.stringify(body) : null));
    if (signal.aborted) request.abort();
  });
}

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));

/** Why a call has no answer. Status 0: the service could not be reached. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly answer: Partial<ErrorAnswer> = {},
    /** Seconds after which another try makes sense; null when the service names none. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

/** What a person reads of a failure. */
export interface FailureWords {
  readonly title: string;
  readonly text: string;
  /** Whether the same call may succeed later. */
  readonly again: boolean;
}

const OTHERWISE = 'Save the picture and drop the file here instead.';

/** By reason of an unusable photo. */
const PHOTO_WORDS: Readonly<Record<string, readonly [title: string, help: string]>> = {
  image_format: [
    'This picture has a format that can’t be read',
    'Save or export the picture as one of these. An iPhone takes such photos with Settings › Camera › Formats › Most Compatible.',
  ],
  image_undecodable: [
    'This picture is damaged',
    'It broke off or was changed on its way. Open it and save it again, or take another.',
  ],
  image_too_large: ['This picture is too large', 'Send a smaller version of it; 2000 pixels are plenty.'],
  url_blocked: ['This address may not be reached', `It leads into a private network. ${OTHERWISE}`],
  url_unreachable: [
    'No picture came from this address',
    'Check the address, or save the picture and drop the file here instead.',
  ],
  url_timeout: ['The picture took too long to arrive', `The other site is slow. ${OTHERWISE}`],
  url_status: [
    'The other site did not give the picture away',
    `It may have moved or be for members only. ${OTHERWISE}`,
  ],
};

/** By status; the text is the service's own sentence, with what follows. */
const STATUS_WORDS: Readonly<Record<number, readonly [title: string, again: boolean, more?: string]>> = {
  400: ['This can’t be asked', false],
  402: [
    'Not enough credits',
    true,
    ' Ask the operator of this service to top the account up; nothing was charged.',
  ],
  403: ['This key does not open that', false],
  404: ['Not in the catalog', false],
  413: ['This picture is too large', false],
  429: ['That was too fast', true],
  503: ['The service is busy', true],
  504: ['This took too long', true],
};

/** A failure in words that say what to do. */
export function inWords({ status, message, answer }: Failure): FailureWords {
  const photo = PHOTO_WORDS[answer.reason ?? ''];
  if (photo) return { title: photo[0], text: `${message} ${photo[1]}`, again: false };
  if (status === 401)
    return { title: 'This key is not accepted', text: 'It is unknown here, or was revoked.', again: false };
  if (status === 0 && !navigator.onLine)
    return { title: 'You are offline', text: 'Connect to the network and try again.', again: true };
  if (status === 0) {
    const text = 'It may be stopped or restarting, or the connection broke.';
    return { title: 'The service can’t be reached', text, again: true };
  }
  const [title, again, more = ''] = STATUS_WORDS[status] ?? ['Something failed', true];
  return { title, text: message + more, again };
}
