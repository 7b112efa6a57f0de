import type { Request } from 'express';
import { type ApiVersion, type Caller, isKeyForm, opens, type Scope } from '../../models/access/api-key';
import { hashKey } from '../../models/access/credential';
import { goOnFor } from '../../models/access/current-party';
import { forbidden, unauthorized } from '../../models/errors';
import type { Gate } from './call';
import type { KeyLookups } from './key-lookups';

/**
 * Lets a call pass whose key is known and has not expired (else 401), opens this API version and has the scope that the
 * endpoint wants, if any (else 403), in this order (contract 9.1, 9.3); an address that tried too many unknown keys gets 429.
 * The credential is compared by its hash and goes no further than this function. From here on the call is its account's.
 */
export function authenticate(keys: KeyLookups<Caller>, version: ApiVersion, scope: Scope | null): Gate {
  return async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const credential = credentialOf(req);
    if (credential === null || !isKeyForm(credential)) throw unauthorized();
    const caller = await keys.find(hashKey(credential), req.ip ?? '');
    if (!caller) throw unauthorized();
    if (!opens(caller.versions, version)) {
      throw forbidden(`This key does not open API ${version}; it opens ${caller.versions.join(', ')}.`);
    }
    if (scope !== null && !caller.scopes.includes(scope)) {
      throw forbidden(`This key lacks the scope ${scope}; it has ${caller.scopes.join(', ')}.`);
    }
    if (scope === 'catalog:write' && caller.test) {
      throw forbidden('A test key does not write the catalog, which all keys see; take a live one.');
    }
    res.locals.caller = caller;
    goOnFor(caller.accountId);
  };
}

/** What follows the scheme `Bearer`, in any case; null without it. */
export function credentialOf(req: Request): string | null {
  return /^bearer +(\S+) *$/i.exec(req.get('Authorization') ?? '')?.[1] ?? null;
}
