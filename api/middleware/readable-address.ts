import type { Request, RequestHandler } from 'express';

/** Requests whose address holds a malformed percent escape. */
const unreadable = new WeakSet<Request>();

/**
 * Lets an address with a malformed percent escape reach its route, where the order of refusals is the usual one
 * (contract 11.1): the router itself would refuse it before any key is looked at. Its varying parts are of no use then.
 */
export const readAddress: RequestHandler = (req, _res, next) => {
  if (!isReadable(req.path)) {
    unreadable.add(req);
    const [path = '', ...query] = req.url.split('?');
    req.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  next();
};

/** Whether the parts of the address are what was meant. */
export const isReadableAddress = (req: Request): boolean => !unreadable.has(req);

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
