import { createServer, type ServerResponse } from 'node:http';

const CHUNK = Buffer.alloc(64 * 1024, 0xff);
const JPEG = { 'content-type': 'image/jpeg' };

/** How a host of pictures can keep a caller waiting, by the path that is asked for. */
const WAYS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/drip.jpg': (response) => {
    response.writeHead(200, JPEG);
    const dripping = setInterval(() => response.write(CHUNK.subarray(0, 1)), 1_000);
    response.on('close', () => clearInterval(dripping));
  },
  '/endless.jpg': (response) => {
    response.writeHead(200, JPEG);
    const pour = (): void => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', pour);
    pour();
  },
  '/headers-only.jpg': (response) => {
    response.writeHead(200, { ...JPEG, 'content-length': '1000' });
    response.flushHeaders();
  },
  '/silent.jpg': () => undefined,
};

export const SLOW_PATHS = Object.keys(WAYS);

/** A host of pictures that never sends one. */
export const slowHost = () =>
  createServer((request, response) => {
    response.on('error', () => undefined);
    WAYS[request.url ?? '']?.(response);
  });
