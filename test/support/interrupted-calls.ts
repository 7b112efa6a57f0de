import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Held {
  /** Resolves once this many calls wait. */
  waiting(calls: number): Promise<void>;
  /** Holds up no call that arrives from now on. */
  passNew(): void;
  /** Releases all calls, waiting and future. */
  letGo(): void;
}

/** Makes the calls of a method wait, before they begin or before they return, until they are released. */
export function holdMethod<Name extends string>(
  of: Record<Name, (...given: never[]) => Promise<unknown>>,
  name: Name,
  when: 'before' | 'after' = 'before',
): Held {
  const original = of[name];
  const [open, letGo] = gate();
  let calls = 0;
  let arrived = (): void => undefined;
  const wait = () => {
    calls += 1;
    arrived();
    return open;
  };
  const passNew = () => {
    of[name] = original;
  };
  of[name] = async function (this: unknown, ...given: never[]) {
    if (when === 'before') await wait();
    const result = await original.apply(this, given);
    if (when === 'after') await wait();
    return result;
  };
  return {
    waiting: async (wanted) => {
      while (calls < wanted) {
        const [next, come] = gate();
        arrived = come;
        await next;
      }
    },
    passNew,
    letGo: () => {
      passNew();
      letGo();
    },
  };
}

/** A promise, and its resolver. */
function gate(): [open: Promise<void>, letGo: () => void] {
  let letGo = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return [open, letGo];
}

/** Follows the calls of methods: resolves once at least one was made and all that were made have ended. */
export function endsOf(...followed: readonly (readonly [of: object, name: string])[]): {
  all(): Promise<void>;
} {
  const made: Promise<unknown>[] = [];
  const [some, first] = gate();
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
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as it goes over the wire. */
export function requestText({ method, path, body, headers = {} }: RawCall, key: string): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) };
  const all = { Host: 'localhost', Authorization: `Bearer ${key}`, ...headers, ...(body && length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`;
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
