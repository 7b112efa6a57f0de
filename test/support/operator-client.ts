import { type Answer, ApiClient } from './api-client';

/** The least secret that a service takes for `ADMIN_TOKEN`. */
export const ADMIN_TOKEN = 'nobody-guesses-these-forty-characters-ever';

type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** Calls the operators' API of a service, as anyone who has its token. */
export class OperatorClient {
  readonly #api: () => ApiClient;

  /** @param address of the service, which is known once it runs */
  constructor(address: () => string) {
    this.#api = () => new ApiClient(address(), ADMIN_TOKEN);
  }

  /** @param path below `/admin/v1` */
  get<Shape = Body>(path: string): Promise<Answer<Shape>> {
    return this.#api().send('GET', `/admin/v1${path}`);
  }

  post<Shape = Body>(path: string, body: object, headers: Headers = {}): Promise<Answer<Shape>> {
    return this.#api().send('POST', `/admin/v1${path}`, { body, headers });
  }

  revoke(keyId: string, headers: Headers = {}): Promise<Answer> {
    return this.#api().send('DELETE', `/admin/v1/keys/${keyId}`, { headers });
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
