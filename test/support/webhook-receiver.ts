import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { addressOf, closed, listening } from './local-server';

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
    return addressOf(this.#server);
  }

  /** Resolves to its address. */
  listen(): Promise<string> {
    return listening(this.#server);
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

  close(): Promise<void> {
    return closed(this.#server);
  }
}
