import type { Request } from 'express';

export interface DemoOffer {
  readonly key: string;
  /** JPEG photos to try, none of them a picture of the catalog. */
  readonly photos: readonly Buffer[];
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a request may get the demonstration's key: it comes from this machine, and from no page of another site. */
export const mayOfferKey = (req: Request): boolean =>
  isLocal(req) && ['same-origin', 'none', undefined].includes(req.get('Sec-Fetch-Site'));

/** Whether a request comes from this machine: sent to one of its own names, against DNS rebinding, and not through a proxy. */
export function isLocal(req: Request): boolean {
  return (
    LOOPBACK_ADDRESS.test(req.socket.remoteAddress ?? '') &&
    LOOPBACK_NAMES.has((req.get('Host') ?? '').replace(/:\d+$/, '').toLowerCase()) &&
    ['Forwarded', 'X-Forwarded-For', 'Via'].every((header) => req.get(header) === undefined)
  );
}
