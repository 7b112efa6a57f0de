import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Held {
  /** Resolves once so many calls wait. */
  waiting(calls: number): Promise<void>;
  /** Holds up nobody who comes from now on. */
  passNew(): void;
  /** Lets those go that wait, and all that come. */
  letGo(): void;
}

/** Makes the calls of a method wait, before they begin or before they return, until they are released. */
export function holdMethod<Name extends string>(
  of: Record<Name, (...given: never[]) => Promise<unknown>>,
  name: Name,
  when: 'before' | 'after' = 'before',
): Held {
  const original = of[name];
  const arrivals: (() => void)[] = [];
  let calls = 0;
  let letGo = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const wait = () => {
    calls += 1;
    for (const arrived of arrivals) arrived();
    return open;
  };
  of[name] = async function (this: unknown, ...given: never[]) {
    if (when === 'before') await wait();
    const result = await original.apply(this, given);
    if (when === 'after') await wait();
    return result;
  };
  return {
    waiting: (wanted) =>
      new Promise((resolve) => {
        const look = () => (calls >= wanted ? resolve() : undefined);
        arrivals.push(look);
        look();
      }),
    passNew: () => {
      of[name] = original;
    },
    letGo: () => {
      of[name] = original;
      letGo();
    },
  };
}

/** Follows the calls of methods: resolves once at least one was made and all that were made have ended. */
export function endsOf(...followed: readonly (readonly [of: object, name: string])[]): {
  all(): Promise<void>;
} {
  const made: Promise<unknown>[] = [];
  let first = (): void => undefined;
  const some = new Promise<void>((resolve) => {
    first = resolve;
  });
  const undo = followed.map(([of, name]) => {
    const methods = of as Record<string, (...given: unknown[]) => Promise<unknown>>;
    const original = methods[name];
    if (!original) throw new Error(`there is no method ${name}`);
    methods[name] = function (this: unknown, ...given: unknown[]) {
      const result = original.apply(this, given);
      made.push(result.catch(() => undefined));
      first();
      return result;
    };
    return () => {
      methods[name] = original;
    };
  });
  return {
    all: async () => {
      await some;
      for (let ended = 0; ended < made.length; ) {
        ended = made.length;
        await Promise.all(made);
      }
      for (const each of undo) each();
    },
  };
}

export interface RawCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as it goes over the wire. */
export function requestText({ method, path, body, headers = {} }: RawCall, key: string): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}

/** Sends requests on a connection of their own, at once, and stays on the line. */
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
