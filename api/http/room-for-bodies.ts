import type { Request, RequestHandler, Response } from 'express';

/** Photos as they usually come; they never wait, whoever holds up the large ones. */
const SMALL_BYTES = 2 * 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  enter(): void;
}

/**
 * Has large bodies wait, unread, until there is room for them in memory, in the order of their arrival: a photo takes
 * several times its size until it is decoded, and a few dozen of the largest together would take all there is. The room
 * is given back when the call ends.
 *
 * @param bodyBytesMax the largest body that is read; what says that it is larger is refused elsewhere
 * @param roomBytes for all that are larger than a usual photo together
 */
export function roomForBodies(bodyBytesMax: number, roomBytes: number): RequestHandler {
  const queue = new Set<Waiting>();
  let taken = 0;
  const admit = () => {
    for (const next of queue) {
      if (taken > 0 && taken + next.bytes > roomBytes) return;
      queue.delete(next);
      taken += next.bytes;
      next.enter();
    }
  };
  const entered = (bytes: number, res: Response) =>
    new Promise<void>((resolve) => {
      const waiting = { bytes, enter: resolve };
      queue.add(waiting);
      res.once('close', () => {
        if (!queue.delete(waiting)) taken -= bytes;
        // Nobody is left to be answered, but the gate must not stand open for ever.
        resolve();
        admit();
      });
      admit();
    });
  return async (req, res, next) => {
    const bytes = bytesToRead(req, bodyBytesMax);
    if (bytes > SMALL_BYTES) await entered(bytes, res);
    if (!res.closed) next();
  };
}

/** What a body may come to: bodies without a length or with a coding may become as large as any. */
function bytesToRead(req: Request, bodyBytesMax: number): number {
  const length = req.get('Content-Length');
  const coding = req.get('Content-Encoding') ?? 'identity';
  if (length === undefined || coding !== 'identity') return bodyBytesMax;
  return Number(length) > bodyBytesMax ? 0 : Number(length);
}
