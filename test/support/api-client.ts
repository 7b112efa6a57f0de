import type { z } from 'zod';
import type { legacyAnswer, legacyVisionAnswer } from '../../api/legacy/answers';
import type {
  identifyAnswer,
  itemAnswer,
  itemsAnswer,
  jobAnswer,
  queryAnswer,
  similarAnswer,
  suggestAnswer,
} from '../../api/v3/answers';
import type { recordStatusAnswer, recordsAnswer } from '../../api/v3/record-answers';
import { DocumentCheck, type Exchange } from './document-check';

export type CatalogAnswer = z.output<typeof queryAnswer>;
export type IdentifyAnswer = z.output<typeof identifyAnswer>;
type ItemAnswer = z.output<typeof itemAnswer>;
type SimilarAnswer = z.output<typeof similarAnswer>;
export type SuggestAnswer = z.output<typeof suggestAnswer>;
export type ItemsAnswer = z.output<typeof itemsAnswer>;
export type JobAnswer = z.output<typeof jobAnswer>;

export type RecordsAnswer = z.output<typeof recordsAnswer>;
export type RecordStatusAnswer = z.output<typeof recordStatusAnswer>;

export type LegacyAnswer = z.output<typeof legacyAnswer>;
export type LegacyVisionAnswer = z.output<typeof legacyVisionAnswer>;

/** An answer; `body` is its JSON, typed as the one of a success, since refusals are matched and not read. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

interface Sending {
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Late<Value> = Value | (() => Value);

const resolved = <Value extends string | null>(value: Late<Value>): Value =>
  typeof value === 'function' ? value() : value;

/**
 * Calls a service over HTTP with one key. Every answer is checked against `/openapi.json`: one that does not fit its
 * schema, or is not documented, fails the test that asked for it.
 */
export class ApiClient {
  readonly #url: Late<string>;
  readonly #key: Late<string | null>;

  /** @param url and `key` may be functions, since both are known only once the service runs */
  constructor(url: Late<string>, key: Late<string | null>) {
    this.#url = url;
    this.#key = key;
  }

  get url(): string {
    return resolved(this.#url);
  }

  get key(): string | null {
    return resolved(this.#key);
  }

  async send<Body = unknown>(method: string, path: string, sending: Sending = {}): Promise<Answer<Body>> {
    const { body, raw, headers, signal } = sending;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const url = new URL(path, this.url);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      ...(signal ? { signal } : {}),
      headers: {
        ...(this.key === null ? {} : { Authorization: `Bearer ${this.key}` }),
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    });
    const text = await response.text();
    expectDocumented({
      method,
      url,
      sent: sentIn(body, raw),
      text,
      status: response.status,
      headers: response.headers,
    });
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) as Body };
  }

  query(body: object): Promise<Answer<CatalogAnswer>> {
    return this.send('POST', '/v3/catalog/query', { body });
  }

  item(id: string, includes?: string): Promise<Answer<ItemAnswer>> {
    const query = includes === undefined ? '' : `?includes=${encodeURIComponent(includes)}`;
    return this.send('GET', `/v3/catalog/items/${encodeURIComponent(id)}${query}`);
  }

  items(body: object): Promise<Answer<ItemsAnswer>> {
    return this.send('POST', '/v3/catalog/items', { body });
  }

  suggest(body: object): Promise<Answer<SuggestAnswer>> {
    return this.send('POST', '/v3/catalog/suggest', { body });
  }

  similar(id: string, parameters: Readonly<Record<string, string>> = {}): Promise<Answer<SimilarAnswer>> {
    const query = new URLSearchParams(parameters);
    return this.send('GET', `/v3/catalog/items/${encodeURIComponent(id)}/similar?${query}`);
  }

  /** A line for each value; a text or bytes are lines as they are. */
  write(
    lines: readonly unknown[] | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<RecordsAnswer>> {
    const text = (line: unknown) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
    const raw = Buffer.isBuffer(lines) ? lines : Buffer.from(lines.map(text).join(''));
    const typed = { 'Content-Type': 'application/x-ndjson', ...headers };
    return this.send('PUT', '/v3/catalog/records', { raw, headers: typed });
  }

  remove(id: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('DELETE', `/v3/catalog/records/${encodeURIComponent(id)}`, { headers });
  }

  recordStatus(id: string): Promise<Answer<RecordStatusAnswer>> {
    return this.send('GET', `/v3/catalog/records/${encodeURIComponent(id)}/status`);
  }

  identify(body: object): Promise<Answer<IdentifyAnswer>> {
    return this.send('POST', '/v3/vision/identify', { body });
  }

  createJob(body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer<JobAnswer>> {
    return this.send('POST', '/v3/vision/jobs', { body, headers });
  }

  job(id: string, method: 'GET' | 'DELETE' = 'GET'): Promise<Answer<JobAnswer>> {
    return this.send(method, `/v3/vision/jobs/${encodeURIComponent(id)}`);
  }

  identifyV2(body: object): Promise<Answer<LegacyVisionAnswer>> {
    return this.send('POST', '/v2/vision', { body });
  }

  v1(parameters: Readonly<Record<string, string>> | string): Promise<Answer<LegacyAnswer>> {
    return this.send('GET', `/v1/products?${new URLSearchParams(parameters)}`);
  }

  v2(body: object): Promise<Answer<LegacyAnswer>> {
    return this.send('POST', '/v2/products', { body });
  }
}

/** The shortest secret that a service accepts as `ADMIN_TOKEN`. */
export const ADMIN_TOKEN = 'nobody-guesses-these-forty-characters-ever';

type Body = Readonly<Record<string, unknown>>;
type Sent = Readonly<Record<string, string>>;

/** Calls the operators' API of a service with its token. Paths are below `/admin/v1`. */
export class OperatorClient {
  readonly #api: ApiClient;

  constructor(url: Late<string>) {
    this.#api = new ApiClient(url, ADMIN_TOKEN);
  }

  get<Shape = Body>(path: string): Promise<Answer<Shape>> {
    return this.#api.send('GET', `/admin/v1${path}`);
  }

  post<Shape = Body>(path: string, body: object, headers: Sent = {}): Promise<Answer<Shape>> {
    return this.#api.send('POST', `/admin/v1${path}`, { body, headers });
  }

  revoke(keyId: string, headers: Sent = {}): Promise<Answer> {
    return this.#api.send('DELETE', `/admin/v1/keys/${keyId}`, { headers });
  }

  /** The id of a new account. */
  async account(credits: number | null = 100): Promise<string> {
    const { body } = await this.post<{ account: { id: string } }>('/accounts', { name: 'shop', credits });
    return body.account.id;
  }

  /** A new key for v3. */
  async key(accountId: string): Promise<{ readonly id: string; readonly secret: string }> {
    const wanted = { name: 'laptop', versions: ['v3'] };
    const { body } = await this.post<{ key: { id: string }; secret: string }>(
      `/accounts/${accountId}/keys`,
      wanted,
    );
    return { id: body.key.id, secret: body.secret };
  }
}

/** The ids of the rows of a v3, v1 or v2 answer, in order. */
export const idsOf = (answer: Answer<{ readonly data: readonly { readonly id: string }[] }>): string[] =>
  answer.body.data.map((row) => row.id);

let check: DocumentCheck | undefined;

/** Fails when an exchange is not as the OpenAPI document of the service says. */
export function expectDocumented(exchange: Exchange): void {
  check ??= new DocumentCheck();
  const faults = check.faultsOf(exchange);
  if (faults.length === 0) return;
  const { method, url, status, text } = exchange;
  throw new Error(
    `${method} ${url.pathname} answered ${status}, which is not as documented:\n${faults.join('\n')}\n${text.slice(0, 500)}`,
  );
}

/** What was sent as JSON; a body that is read in another way is not looked at. */
const sentIn = (body: unknown, raw: string | Buffer | undefined): unknown =>
  typeof raw === 'string' ? jsonOf(raw.replace(/^\uFEFF/, '')) : body;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
