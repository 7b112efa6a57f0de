import type { WebhookSender } from '../../models/ports';
import {
  BlockedAddressError,
  type ConnectionSettings,
  GuardedConnections,
} from '../image/guarded-connections';

/** Sends messages over guarded connections, as photos are fetched; answers are neither followed nor read (contract 16.14). */
export class HttpWebhookSender implements WebhookSender {
  readonly #connections: GuardedConnections;

  constructor(private readonly settings: ConnectionSettings & { readonly timeoutMs: number }) {
    this.#connections = new GuardedConnections(settings);
  }

  accepts(url: URL): boolean {
    try {
      this.#connections.check(url);
      return url.protocol === 'https:' || (url.protocol === 'http:' && this.#connections.isAllowed(url));
    } catch {
      return false;
    }
  }

  async send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<number> {
    const { timeoutMs } = this.settings;
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.#connections.request(url, {
        method: 'POST',
        signal: AbortSignal.any([signal, deadline]),
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Loupe' },
        body,
      });
      answer.on('error', () => undefined).destroy();
      return answer.statusCode ?? 0;
    } catch (failure) {
      if (failure instanceof BlockedAddressError)
        throw new Error('The address leads to a place that is not public.');
      if (deadline.aborted) throw new Error(`The address did not answer within ${timeoutMs} ms.`);
      throw new Error('The address cannot be reached.', { cause: failure });
    }
  }

  async close(): Promise<void> {
    this.#connections.close();
  }
}
