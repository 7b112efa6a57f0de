import type { Request } from 'express';

/** A named part of the address, decoded. */
export function pathParameter(req: Request, name: string): string {
  const value = req.params[name];
  return typeof value === 'string' ? value : '';
}
