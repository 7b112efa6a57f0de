import createClient, { type Client } from 'openapi-fetch';
import { type Failure, LoupeError } from './loupe-error';
import { retryAfterOf, retryingFetch } from './retrying-fetch';
import type { IdentifyAnswer, IdentifyRequest, JobRequest, paths, RecordLine } from './schema';

export { LoupeError } from './loupe-error';
export type * from './schema';

export interface LoupeOptions {
  /** Address of the service, with or without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Time limit of a call including its retries; default one minute. */
  readonly timeoutMs?: number;
  /** How often a call is retried after a 429, a 503 or a lost connection; default 3. */
  readonly retries?: number;
}

/** A photo by its public address, as bytes, or as a file (of a form, or of `openAsBlob` in Node.js); or a part of it. */
export type Photo = (
  | { readonly url: string | URL }
  | { readonly bytes: Uint8Array }
  | { readonly file: Blob }
) &
  Pick<IdentifyRequest, 'region'>;

type Photos = Photo | readonly Photo[];
type PhotoFields = Pick<IdentifyRequest, 'url' | 'base64' | 'region' | 'images'>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Your name for the call; without one, every call but a GET gets its own name, shared by its retries. */
  readonly idempotencyKey?: string;
}

export type IdentifyOptions = CallOptions & Omit<IdentifyRequest, keyof PhotoFields>;

/** An item of a job: its photo or photos, and what is known of it. */
export type JobEntry = Omit<JobRequest['entries'][number], keyof PhotoFields> & { readonly photo: Photos };

/** An answer with the id for feedback on it. */
export type Identification = IdentifyAnswer & { readonly predictionId: string };

/** Calls a Loupe service. Throws refusals as `LoupeError`; without an answer, whatever `fetch` throws, or a `TimeoutError`. */
export class LoupeClient {
  /** Every endpoint of the document, legacy and operators' ones too; `answerOf` takes the body, or throws the refusal. */
  readonly endpoints: Client<paths>;

  constructor({ baseUrl, key, timeoutMs = 60_000, retries = 3 }: LoupeOptions) {
    this.endpoints = createClient<paths>({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      headers: { Authorization: `Bearer ${key}` },
      querySerializer: { array: { style: 'form', explode: false } },
      fetch: retryingFetch((request) => fetch(request), { timeoutMs, retries }),
    });
  }

  /** The rows shown by a photo, or by up to five of one item from several sides; best first, none if no row is certain enough. */
  async identify(
    photo: Photos,
    { signal, idempotencyKey, ...known }: IdentifyOptions = {},
  ): Promise<Identification> {
    const body = { ...(await photosOf(photo)), ...known };
    const call = { body, ...sending(signal, idempotencyKey) };
    const outcome = await this.endpoints.POST('/v3/vision/identify', call);
    const predictionId = outcome.response.headers.get('X-Prediction-Id') ?? '';
    return { ...(await answerOf(outcome)), predictionId };
  }

  /** Has up to a hundred items identified later; `GET /v3/vision/jobs/{id}` has the answers. */
  async createJob(
    entries: readonly JobEntry[],
    { signal, idempotencyKey, ...asked }: CallOptions & Pick<JobRequest, 'includes'> = {},
  ) {
    const sent = entries.map(async ({ photo, ...known }) => ({ ...(await photosOf(photo)), ...known }));
    const body = { entries: await Promise.all(sent), ...asked };
    return answerOf(this.endpoints.POST('/v3/vision/jobs', { body, ...sending(signal, idempotencyKey) }));
  }

  /** Writes up to 1,000 records; `data` says whether each line was accepted, and if not, why. Needs `catalog:write`. */
  writeRecords(lines: readonly RecordLine[], { signal, idempotencyKey }: CallOptions = {}) {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const call = sending(signal, idempotencyKey, 'application/x-ndjson');
    return answerOf(this.endpoints.PUT('/v3/catalog/records', { body, bodySerializer: () => body, ...call }));
  }

  /** Stores the bytes of a JPEG, PNG or WebP; the `url` of the answer may be used in the `images` of a record. */
  storeImage(picture: Uint8Array<ArrayBuffer> | Blob, { signal, idempotencyKey }: CallOptions = {}) {
    const call = sending(signal, idempotencyKey, 'application/octet-stream');
    return answerOf(
      this.endpoints.POST('/v3/catalog/images', { body: '', bodySerializer: () => picture, ...call }),
    );
  }
}

interface Outcome<Body> {
  readonly data?: Body | undefined;
  readonly error?: Failure | undefined;
  readonly response: Response;
}

/** The body of an answer. @throws LoupeError a refusal */
export async function answerOf<Body>(calling: Outcome<Body> | Promise<Outcome<Body>>): Promise<Body> {
  const { data, error, response } = await calling;
  if (data !== undefined) return data;
  if (error?.request_id !== undefined) {
    throw new LoupeError(response.status, error, retryAfterOf(response));
  }
  throw new Error(`Something before the service answered ${response.status}.`);
}

const sending = (signal?: AbortSignal, idempotencyKey?: string, type?: string) => ({
  signal: signal ?? null,
  headers: { 'Idempotency-Key': idempotencyKey, 'Content-Type': type },
});

async function photosOf(photo: Photos): Promise<PhotoFields> {
  return 'length' in photo ? { images: await Promise.all(photo.map(imageOf)) } : imageOf(photo);
}

async function imageOf(photo: Photo): Promise<Omit<PhotoFields, 'images'>> {
  const part = photo.region ? { region: photo.region } : {};
  if ('url' in photo) return { url: String(photo.url), ...part };
  const bytes = 'bytes' in photo ? photo.bytes : new Uint8Array(await photo.file.arrayBuffer());
  return { base64: base64Of(bytes), ...part };
}

/** In pieces, because a function call can't take a million arguments. */
function base64Of(bytes: Uint8Array): string {
  const PIECE = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(text);
}
