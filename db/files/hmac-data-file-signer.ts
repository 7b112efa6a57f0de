import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DataFileSigner } from '../../models/ports';
import type { DataFile } from '../../models/pricing/estimate';

/** A secret, and the id by which a signed address names it. */
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

/**
 * Signs data-file addresses with HMAC-SHA256 (contract 2.7): `/files/<kind>/<variant>/<region>.csv?expires&key&signature`. The
 * first key signs, all verify, so keys can be rotated. Without keys nothing is signed and nothing verifies.
 */
export class HmacDataFileSigner implements DataFileSigner {
  constructor(private readonly keys: readonly SigningKey[]) {}

  /** Digests that tell keys apart, in their order; they reveal no more of a secret than a signed link does. */
  get fingerprints(): readonly string[] {
    return this.keys.map(({ id, secret }) =>
      createHmac('sha256', secret).update(`fingerprint ${id}`).digest('hex').slice(0, 16),
    );
  }

  sign(file: DataFile, expiresAt: Date): string | null {
    const [key] = this.keys;
    if (!key) return null;
    const expires = String(Math.floor(expiresAt.getTime() / 1_000));
    const query = new URLSearchParams({ expires, key: key.id, signature: signatureOf(file, expires, key) });
    return `/files/${file.kind}/${encodeURIComponent(file.variantId)}/${file.region}.csv?${query}`;
  }

  verify(file: DataFile, query: Readonly<Record<string, unknown>>, now: Date): boolean {
    const { expires, key: keyId, signature } = query;
    if (typeof expires !== 'string' || typeof keyId !== 'string' || typeof signature !== 'string')
      return false;
    const key = this.keys.find(({ id }) => id === keyId);
    if (!key || !/^\d{1,12}$/.test(expires)) return false;
    return isSame(signature, signatureOf(file, expires, key)) && now.getTime() < Number(expires) * 1_000;
  }
}

/** A JSON array has only one reading, whatever its parts hold. */
function signatureOf(file: DataFile, expires: string, key: SigningKey): string {
  const message = JSON.stringify([file.kind, file.variantId, file.region, expires, key.id]);
  return createHmac('sha256', key.secret).update(message).digest('base64url');
}

/** Compares texts, not decoded bytes: several texts decode to the same bytes, and only one was signed. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
