import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gate } from './gate';

/** Makes the calls of a method wait, before they begin or before they return, until they are released. */
export function holdMethod<Name extends string>(
  of: Record<Name, (...given: never[]) => Promise<unknown>>,
  name: Name,
  when: 'before' | 'after' = 'before',
) {
  const original = of[name];
  const [waiting, released] = [gate(), gate()];
  const wait = () => {
    waiting.open();
    return released.opened;
  };
  of[name] = async function (this: unknown, ...given: never[]) {
    if (when === 'before') await wait();
    const result = await original.apply(this, given);
    if (when === 'after') await wait();
    return result;
  };
  const passNew = (): void => {
    of[name] = original;
  };
  return {
    waiting: waiting.opened,
    passNew,
    letGo: () => {
      passNew();
      released.open();
    },
  };
}

/** Follows the calls of methods: resolves once at least one was made and all that were made have ended. */
export function endsOf(...followed: readonly (readonly [of: object, name: string])[]) {
  const spies = followed.map(([of, name]) => jest.spyOn(of as Record<string, () => unknown>, name));
  const made = () => spies.flatMap(({ mock }) => mock.results.map(({ value }) => value));
  return {
    all: async () => {
      while (made().length === 0) await new Promise(setImmediate);
      for (let ended = 0; ended < made().length; ) {
        ended = made().length;
        await Promise.allSettled(made());
      }
      for (const spy of spies) spy.mockRestore();
    },
  };
}

export interface RawCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export function requestText({ method, path, body, headers = {} }: RawCall, key: string): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) };
  const all = { Host: 'localhost', Authorization: `Bearer ${key}`, ...headers, ...(body && length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`;
}

/** An answer as it is on the wire: `fetch` decodes bodies, and sets or forbids some headers. */
export async function rawAnswer(url: string, options: RequestOptions, body?: string) {
  const [answer] = (await once(request(url, options).end(body), 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: await buffer(answer) };
}

/** Sends requests on a connection of their own, at once, and stays connected. */
export async function sendRaw(url: string, text: string): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  await new Promise<void>((resolve, reject) =>
    socket.write(text, (failure) => (failure ? reject(failure) : resolve())),
  );
  return socket;
}
