import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type ApiVersion, isKeyForm, opens } from '../../models/access/api-key';
import { forbidden, unauthorized } from '../../models/errors';
import type { AccountRepository } from '../../models/ports';
import './locals';

/**
 * Lets a call pass whose key is known (else 401) and opens this API version (else 403), in this order (interface.md 5).
 * The credential is compared by its hash and goes no further than this function.
 */
export function admit(accounts: AccountRepository, version: ApiVersion): RequestHandler {
  return async (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    const credential = credentialOf(req.get('Authorization'));
    if (credential === null || !isKeyForm(credential)) throw unauthorized();
    const caller = await accounts.callerByKeyHash(createHash('sha256').update(credential, 'utf8').digest());
    if (!caller) throw unauthorized();
    if (!opens(caller.versions, version)) {
      throw forbidden(`This key does not open API ${version}; it opens ${caller.versions.join(', ')}.`);
    }
    res.locals.caller = caller;
    next();
  };
}

/** What follows the scheme `Bearer`, in any case; null without it. */
function credentialOf(header: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}
