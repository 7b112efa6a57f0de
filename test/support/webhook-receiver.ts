import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as it came. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is answered: a status, with headers or without; or nothing until the promise says what. */
type Reply = number | readonly [status: number, headers: Record<string, string>];
type Behaviour = (message: ReceivedMessage) => Reply | Promise<Reply>;

/** A host of callers that is told things. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  #behaviour: Behaviour = () => 204;
  #arrived = (): void => undefined;
  readonly #server: Server = createServer(async (req, res) => {
    const message = { path: req.url ?? '', headers: req.headers, body: await text(req) };
    this.received.push(message);
    this.#arrived();
    const reply = await this.#behaviour(message);
    const [status, headers] = typeof reply === 'number' ? [reply, {}] : reply;
    res.writeHead(status, headers).end();
  });

  /** `host:port`, once it listens. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves to its address. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.address;
  }

  answers(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  /** Resolves once so many messages have come to a path. */
  async has(count: number, path: string): Promise<ReceivedMessage[]> {
    for (;;) {
      const messages = this.to(path);
      if (messages.length >= count) return messages;
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  to(path: string): ReceivedMessage[] {
    return this.received.filter((each) => each.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
