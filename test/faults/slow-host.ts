import { createServer, type Server, type ServerResponse } from 'node:http';
import { addressOf, closed, listening } from '../support/local-server';

/** How a host of pictures can keep one waiting. */
export const SLOW_WAYS = ['drip', 'endless', 'headers only', 'silent'] as const;
export type SlowWay = (typeof SLOW_WAYS)[number];

const DRIP_EVERY_MS = 1_000;
const CHUNK = Buffer.alloc(64 * 1024, 0xff);

/** A host of pictures that never has one. */
export class SlowHost {
  private constructor(private readonly server: Server) {}

  static async open(): Promise<SlowHost> {
    const server = createServer((request, response) => {
      const way = SLOW_WAYS.find((each) => request.url === pathOf(each));
      response.on('error', () => undefined);
      if (way) ANSWERS[way](response);
      else response.writeHead(404).end();
    });
    await listening(server);
    return new SlowHost(server);
  }

  /** `host:port`, as `IMAGE_FETCH_ALLOW` takes it. */
  get address(): string {
    return addressOf(this.server);
  }

  url(way: SlowWay): string {
    return `http://${this.address}${pathOf(way)}`;
  }

  close(): Promise<void> {
    return closed(this.server);
  }
}

const pathOf = (way: SlowWay): string => `/${encodeURIComponent(way)}.jpg`;

const ANSWERS: Readonly<Record<SlowWay, (response: ServerResponse) => void>> = {
  drip: (response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' });
    const dripping = setInterval(() => response.write(CHUNK.subarray(0, 1)), DRIP_EVERY_MS);
    response.on('close', () => clearInterval(dripping));
  },
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' });
    const pour = (): void => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', pour);
    pour();
  },
  'headers only': (response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': '1000' });
    response.flushHeaders();
  },
  silent: () => undefined,
};
