import createClient, { type Client } from 'openapi-fetch';
import { type RetryOptions, retryAfterOf, retryingFetch } from './retrying-fetch';
import type * as schema from './schema';

export type * from './schema';

export interface LoupeOptions extends Partial<RetryOptions> {
  /** Address of the service, with or without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
}

/** A photo by its public address, as bytes, or as a file (of a form, or of `openAsBlob` in Node.js); or a part of it. */
export type Photo = (
  | { readonly url: string | URL }
  | { readonly bytes: Uint8Array }
  | { readonly file: Blob }
) & { readonly region?: schema.Region };

export interface CallOptions {
  readonly includes?: schema.IdentifyRequest['includes'];
  readonly signal?: AbortSignal;
  /** Default: every POST gets its own key, shared by its retries. */
  readonly idempotencyKey?: string;
}

/** What is known of the item, and whether each row has `evidence`. */
export type IdentifyOptions = CallOptions & Known;

type Known = Pick<
  schema.IdentifyRequest & schema.JobPhotos,
  'category_id' | 'filters' | 'explain' | 'min_confidence'
>;

/** An item of a job: its photo or photos, and what is known of it. */
export type JobEntry = Known & { readonly photo: Photo | readonly Photo[] };

type Abortable = Pick<CallOptions, 'signal'>;

/** Which similar products are wanted: their category, and how many at most. */
export type SimilarOptions = Pick<CallOptions, 'includes' | 'signal'> & {
  readonly category_id?: string;
  readonly size?: number;
};

/** An answer with the id for feedback on it. */
export type Identification = schema.IdentifyAnswer & { readonly predictionId: string };

/** Calls a Loupe service. Throws refusals as `LoupeError`; without an answer, whatever `fetch` throws, or a `TimeoutError`. */
export class LoupeClient {
  /** Every endpoint of the document, legacy and operators' ones too; answers and refusals are returned, not thrown. */
  readonly endpoints: Client<schema.paths>;
  readonly #fetch: ReturnType<typeof retryingFetch>;

  constructor({ baseUrl, key, timeoutMs = 60_000, retries = 3 }: LoupeOptions) {
    this.#fetch = retryingFetch((request) => fetch(request), { timeoutMs, retries });
    this.endpoints = createClient<schema.paths>({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      headers: { Authorization: `Bearer ${key}` },
      querySerializer: { array: { style: 'form', explode: false } },
      fetch: this.#fetch,
    });
  }

  /** The rows shown by a photo, or by up to five of one item from several sides; best first, none if no row is certain enough. */
  async identify(
    photo: Photo | readonly Photo[],
    { signal, idempotencyKey, includes, ...known }: IdentifyOptions = {},
  ): Promise<Identification> {
    const body = { ...(await photosOf(photo)), ...known, ...(includes ? { includes } : {}) };
    const call = { body, ...sending({ signal, idempotencyKey }) };
    const calling = this.endpoints.POST('/v3/vision/identify', call);
    const answer = await answerOf(calling);
    const { headers } = (await calling).response;
    return { ...answer, predictionId: headers.get('X-Prediction-Id') ?? '' };
  }

  /** Has up to a hundred items identified later; ask `job` for the answers. */
  async createJob(entries: readonly JobEntry[], { includes, ...options }: CallOptions = {}) {
    const asked = entries.map(async ({ photo, ...known }) => ({ ...(await photosOf(photo)), ...known }));
    const body = { entries: await Promise.all(asked), ...(includes ? { includes } : {}) };
    return answerOf(this.endpoints.POST('/v3/vision/jobs', { body, ...sending(options) }));
  }

  /** The progress of a job, and its answers so far. */
  job(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.GET('/v3/vision/jobs/{id}', of(id, options)));
  }

  /** Cancels the entries of a job that have not begun. */
  cancelJob(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.DELETE('/v3/vision/jobs/{id}', of(id, options)));
  }

  /** Registers a webhook address; only this answer contains the `secret` that signs its messages. */
  createWebhook(wanted: schema.WebhookRequest, options: Omit<CallOptions, 'includes'> = {}) {
    return answerOf(this.endpoints.POST('/v3/webhooks', { body: wanted, ...sending(options) }));
  }

  /** The webhook addresses of the account, with their last failures. */
  webhooks(options: Abortable = {}) {
    return answerOf(this.endpoints.GET('/v3/webhooks', abortable(options)));
  }

  removeWebhook(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.DELETE('/v3/webhooks/{id}', of(id, options)));
  }

  /** Reports which product the photos of an answer showed; null if the catalog does not have it. */
  correct(predictionId: string, correctId: string | null, comment?: string, options: Abortable = {}) {
    const body = { correct_id: correctId, ...(comment === undefined ? {} : { comment }) };
    const call = { body, ...of(predictionId, options) };
    return answerOf(this.endpoints.POST('/v3/vision/predictions/{id}/feedback', call));
  }

  /** A page of the catalog, by text, filters or both. */
  search(query: schema.CatalogQuery, options: Omit<CallOptions, 'includes'> = {}) {
    return answerOf(this.endpoints.POST('/v3/catalog/query', { body: query, ...sending(options) }));
  }

  /** One row by its id; a `LoupeError` with status 404 if there is none. */
  item(id: string, { includes, signal }: CallOptions = {}) {
    const params = { path: { id }, query: includes ? { includes } : {} };
    return answerOf(this.endpoints.GET('/v3/catalog/items/{id}', { params, ...abortable({ signal }) }));
  }

  /** Rows in the order of their ids, up to 100; unknown ids are in `not_found`. */
  items(ids: readonly string[], { includes, ...options }: CallOptions = {}) {
    const body = { ids: [...ids], ...(includes ? { includes } : {}) };
    return answerOf(this.endpoints.POST('/v3/catalog/items', { body, ...sending(options) }));
  }

  /** Rows that complete the text in a search box, best first; free. */
  suggest(asked: schema.SuggestRequest, { signal }: Abortable = {}) {
    return answerOf(this.endpoints.POST('/v3/catalog/suggest', { body: asked, ...sending({ signal }) }));
  }

  /** Products that look like one, the most similar first; none if it has no known picture. */
  similar(id: string, { signal, includes, ...rest }: SimilarOptions = {}) {
    const params = { path: { id }, query: { ...rest, ...(includes ? { includes } : {}) } };
    return answerOf(
      this.endpoints.GET('/v3/catalog/items/{id}/similar', { params, ...abortable({ signal }) }),
    );
  }

  /** Writes up to 1,000 records; `data` has the outcome of each line. Needs `catalog:write`, like the calls below. */
  async writeRecords(lines: readonly schema.RecordLine[], options: Omit<CallOptions, 'includes'> = {}) {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const call = { body, bodySerializer: (text: string) => text, headers, ...sending(options) };
    return answerOf(this.endpoints.PUT('/v3/catalog/records', call));
  }

  /** Stores the bytes of a JPEG, PNG or WebP; the `url` of the answer may be used in the `images` of a record. */
  storeImage(picture: Uint8Array | Blob, options: Omit<CallOptions, 'includes'> = {}) {
    const headers = { 'Content-Type': 'application/octet-stream' };
    const call = { body: '', bodySerializer: () => picture, headers, ...sending(options) };
    return answerOf(this.endpoints.POST('/v3/catalog/images', call));
  }

  /** A record as the line that `writeRecords` takes; a `LoupeError` with status 404 if there is none. */
  record(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.GET('/v3/catalog/records/{id}', of(id, options)));
  }

  /** Removes a product or an entity from the catalog; a `LoupeError` with status 404 if there is none. */
  deleteRecord(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.DELETE('/v3/catalog/records/{id}', of(id, options)));
  }

  /** Whether a record is found, and how many of its pictures are embedded. */
  recordStatus(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.GET('/v3/catalog/records/{id}/status', of(id, options)));
  }

  /** How many products came from a feed, and how many of their pictures are embedded. */
  feedStatus(id: string, options: Abortable = {}) {
    return answerOf(this.endpoints.GET('/v3/catalog/feeds/{id}/status', of(id, options)));
  }

  /** The text of a CSV file that `pricing` links to. Its link is valid for one hour: fetch the item again instead of keeping links. */
  async dataFile({ url }: schema.DataFileLink, options: Abortable = {}): Promise<string> {
    const response = await this.#fetch(new Request(url, abortable(options)));
    if (response.ok) return response.text();
    throw refusal(response, (await response.json().catch(() => undefined)) as Failure | undefined);
  }
}

const of = (id: string, options: Abortable) => ({ ...abortable(options), params: { path: { id } } });

type Outcome<Body> = Readonly<{ data?: Body | undefined; error?: Failure | undefined; response: Response }>;

async function answerOf<Body>(calling: Promise<Outcome<Body>>): Promise<Body> {
  const { data, error, response } = await calling;
  if (data !== undefined) return data;
  throw refusal(response, error);
}

const refusal = (response: Response, failure: Failure | undefined): Error =>
  failure?.request_id === undefined
    ? new Error(`Something before the service answered ${response.status}.`)
    : new LoupeError(response.status, failure, retryAfterOf(response));

const abortable = ({ signal }: Sent) => (signal ? { signal } : {});

type Sent = { readonly [Option in 'signal' | 'idempotencyKey']?: CallOptions[Option] | undefined };

const sending = ({ signal, idempotencyKey }: Sent) => ({
  ...abortable({ signal }),
  ...(idempotencyKey ? { params: { header: { 'Idempotency-Key': idempotencyKey } } } : {}),
});

async function photosOf(photo: Photo | readonly Photo[]) {
  return Array.isArray(photo) ? { images: await Promise.all(photo.map(imageOf)) } : imageOf(photo as Photo);
}

async function imageOf(photo: Photo): Promise<Pick<schema.IdentifyRequest, 'url' | 'base64' | 'region'>> {
  const part = photo.region ? { region: photo.region } : {};
  if ('url' in photo) return { url: String(photo.url), ...part };
  const bytes = 'bytes' in photo ? photo.bytes : new Uint8Array(await photo.file.arrayBuffer());
  return { base64: base64Of(bytes), ...part };
}

/** In pieces, because a function can't take a million arguments. */
function base64Of(bytes: Uint8Array): string {
  const PIECE = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(text);
}

type Refusals = schema.components['responses'];

/** The body of any refusal; `error` distinguishes them. */
export type Failure = Refusals[Exclude<keyof Refusals, 'NotReady'>]['content']['application/json'];

/** A refusal of the service: `failure.error` says which, with the fields specific to it. */
export class LoupeError extends Error {
  /** Identifies the request in the logs of the service. */
  readonly requestId: string;

  constructor(
    readonly status: number,
    readonly failure: Failure,
    /** Seconds after which to call again, if the service said so. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(failure.message);
    this.name = 'LoupeError';
    this.requestId = failure.request_id;
  }
}
