import { timingSafeEqual } from 'node:crypto';
import { hashKey } from '../../models/access/credential';
import { goOnFor } from '../../models/access/current-party';
import { unauthorized } from '../../models/errors';
import { credentialOf, KeyLookups } from './authenticate';
import type { Gate } from './call';

/**
 * Lets operators pass: anyone who sends the token (else 401), which is compared by its hash, in constant time. An address
 * that tries too many others gets 429, as with unknown keys (contract 17.2).
 *
 * @param token null lets nobody pass
 */
export function authorizeOperator(token: string | null, unknownPerMinute: number): Gate {
  const expected = token === null ? null : hashKey(token);
  const lookUp = async (hash: Buffer) => (expected && timingSafeEqual(hash, expected) ? true : null);
  const tokens = new KeyLookups<true>(lookUp, unknownPerMinute);
  return async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const credential = credentialOf(req);
    if (credential === null || !(await tokens.find(hashKey(credential), req.ip ?? ''))) {
      throw unauthorized('Send the ADMIN_TOKEN of the service as "Authorization: Bearer <ADMIN_TOKEN>".');
    }
    goOnFor('operators');
  };
}
