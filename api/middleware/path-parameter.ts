import type { Request } from 'express';
import { badRequest } from '../../models/errors';
import { isReadableAddress } from './readable-address';

/**
 * A named part of the address, decoded.
 *
 * @throws AppError 400 when the address holds a malformed percent escape
 */
export function pathParameter(req: Request, name: string): string {
  if (!isReadableAddress(req)) {
    throw badRequest('The address holds a malformed percent escape.', { field: name });
  }
  const value = req.params[name];
  return typeof value === 'string' ? value : '';
}
