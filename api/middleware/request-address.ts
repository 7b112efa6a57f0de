import type { Request, RequestHandler } from 'express';
import { badRequest } from '../../models/errors';
import { refuseBrokenText } from './parse-json-object';

/** Node keeps the first of two or joins them; a proxy that keeps the last would check another request. */
const SINGLE_HEADERS = ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'];

const unreadable = new WeakSet<Request>();

/**
 * 400 for HTTP/1.1 without a Host, and for one of these headers given twice (contract 12.14). Lets an address with a malformed
 * percent escape reach its route, where refusals have their usual order (contract 11.3): the router itself would refuse it
 * before checking any key.
 */
export const readAddress: RequestHandler = (req, _res, next) => {
  if (req.httpVersion === '1.1' && !req.headers.host) throw badRequest('Send a Host header.');
  const repeated = SINGLE_HEADERS.find((name) => (req.headersDistinct[name.toLowerCase()]?.length ?? 0) > 1);
  if (repeated) throw badRequest(`${repeated}: send this header once.`, { field: repeated });
  try {
    decodeURIComponent(req.path);
  } catch {
    unreadable.add(req);
    const [path = '', ...query] = req.url.split('?');
    req.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  next();
};

/** A named part of the address, decoded. @throws AppError 400 when the address contains a malformed percent escape */
export function pathParameter(req: Request, name: string): string {
  if (unreadable.has(req)) {
    throw badRequest('The address holds a malformed percent escape.', { field: name });
  }
  const value = req.params[name];
  return typeof value === 'string' ? value : '';
}

/** The id in the address. @throws AppError 400 for one that no store can hold */
export function idOf(req: Request): string {
  const id = pathParameter(req, 'id');
  refuseBrokenText(id, 'id');
  return id;
}
