import type * as schema from '../../api/client/schema';

/** An answer; `body` is its JSON, typed as the one of a success, since refusals are matched and not read. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

type Texts = Readonly<Record<string, string>>;

interface Sending {
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Texts;
  readonly signal?: AbortSignal;
}

type Late<Value> = Value | (() => Value);
const resolved = <Value extends string | null>(value: Late<Value>): Value =>
  typeof value === 'function' ? value() : value;

/** An answer that does not fit `/openapi.json`, or is not documented there, fails the test that asked for it. */
export class ApiClient {
  /** @param given and `givenKey` may be functions, since both are known only once the service runs */
  constructor(
    private readonly given: Late<string>,
    private readonly givenKey: Late<string | null>,
  ) {}

  get url(): string {
    return resolved(this.given);
  }

  get key(): string | null {
    return resolved(this.givenKey);
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
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    // Bodies that are not read as JSON are not checked.
    const sent = typeof raw === 'string' ? jsonOf(raw.replace(/^\uFEFF/, '')) : body;
    const faults = documentCheck.faultsOf({ method, url, sent, ...answer });
    if (faults.length > 0) {
      const what = `${method} ${url.pathname} answered ${answer.status}, which is not as documented`;
      throw new Error(`${what}:\n${faults.join('\n')}\n${answer.text.slice(0, 500)}`);
    }
    return { ...answer, body: jsonOf(answer.text) as Body };
  }

  readonly query = (body: object) => this.send<schema.QueryAnswer>('POST', '/v3/catalog/query', { body });
  readonly items = (body: object) => this.send<schema.ItemsAnswer>('POST', '/v3/catalog/items', { body });
  readonly suggest = (body: object) =>
    this.send<schema.SuggestAnswer>('POST', '/v3/catalog/suggest', { body });
  readonly identify = (body: object) =>
    this.send<schema.IdentifyAnswer>('POST', '/v3/vision/identify', { body });
  readonly identifyV2 = (body: object) =>
    this.send<schema.LegacyVisionAnswer>('POST', '/v2/vision', { body });
  readonly v2 = (body: object) => this.send<schema.LegacyAnswer>('POST', '/v2/products', { body });

  v1(parameters: Texts | string): Promise<Answer<schema.LegacyAnswer>> {
    return this.send('GET', `/v1/products?${new URLSearchParams(parameters)}`);
  }

  item(id: string, includes?: string): Promise<Answer<schema.ItemAnswer>> {
    const query = includes === undefined ? '' : `?includes=${encodeURIComponent(includes)}`;
    return this.send('GET', `/v3/catalog/items/${encodeURIComponent(id)}${query}`);
  }

  similar(id: string, parameters: Texts = {}): Promise<Answer<schema.SimilarAnswer>> {
    const query = new URLSearchParams(parameters);
    return this.send('GET', `/v3/catalog/items/${encodeURIComponent(id)}/similar?${query}`);
  }

  /** A line for each value; a text or bytes are lines as they are. */
  write(lines: readonly unknown[] | Buffer, headers: Texts = {}): Promise<Answer<schema.RecordsAnswer>> {
    const text = (line: unknown) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
    const raw = Buffer.isBuffer(lines) ? lines : Buffer.from(lines.map(text).join(''));
    const typed = { 'Content-Type': 'application/x-ndjson', ...headers };
    return this.send('PUT', '/v3/catalog/records', { raw, headers: typed });
  }

  remove(id: string): Promise<Answer> {
    return this.send('DELETE', `/v3/catalog/records/${encodeURIComponent(id)}`);
  }

  record(id: string): Promise<Answer<{ readonly data: readonly Record<string, { readonly id: string }>[] }>> {
    return this.send('GET', `/v3/catalog/records/${encodeURIComponent(id)}`);
  }

  recordStatus(id: string): Promise<Answer<schema.RecordStatusAnswer>> {
    return this.send('GET', `/v3/catalog/records/${encodeURIComponent(id)}/status`);
  }

  createJob(body: object, headers: Texts = {}): Promise<Answer<schema.JobAnswer>> {
    return this.send('POST', '/v3/vision/jobs', { body, headers });
  }

  job(id: string, method: 'GET' | 'DELETE' = 'GET'): Promise<Answer<schema.JobAnswer>> {
    return this.send(method, `/v3/vision/jobs/${encodeURIComponent(id)}`);
  }
}

/** The shortest secret that a service accepts as `ADMIN_TOKEN`. */
export const ADMIN_TOKEN = 'nobody-guesses-these-forty-characters-ever';

type Body = Readonly<Record<string, unknown>>;

/** Paths are below `/admin/v1`. */
export class OperatorClient {
  readonly #api: ApiClient;

  constructor(url: Late<string>) {
    this.#api = new ApiClient(url, ADMIN_TOKEN);
  }

  get<Shape = Body>(path: string): Promise<Answer<Shape>> {
    return this.#api.send('GET', `/admin/v1${path}`);
  }

  post<Shape = Body>(path: string, body: object, headers: Texts = {}): Promise<Answer<Shape>> {
    return this.#api.send('POST', `/admin/v1${path}`, { body, headers });
  }

  revoke(keyId: string): Promise<Answer> {
    return this.#api.send('DELETE', `/admin/v1/keys/${keyId}`);
  }

  async account(credits: number | null = 100): Promise<string> {
    return (await this.post<schema.AccountShown>('/accounts', { name: 'shop', credits })).body.account.id;
  }

  async key(accountId: string, wanted: object = {}) {
    const asked = { name: 'laptop', versions: ['v3'], ...wanted };
    const { key, secret } = (await this.post<schema.KeyMade>(`/accounts/${accountId}/keys`, asked)).body;
    return { id: key.id, secret };
  }
}

/** The ids of the rows of a v3, v1 or v2 answer, in order. */
export const idsOf = (answer: Answer<{ readonly data: readonly { readonly id: string }[] }>): string[] =>
  answer.body.data.map((row) => row.id);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
