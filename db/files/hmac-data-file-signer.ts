import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DataFileSigner } from '../../models/ports';
import type { DataFile } from '../../models/pricing/estimate';

/** A named secret; its name travels in the link so that keys can be rotated. */
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

/**
 * Signs the addresses of data files with HMAC-SHA-256 (interface.md 2.2). The first key signs, every key verifies:
 * rotate by putting a new one first. Without a key nothing is signed, and the links are left out.
 */
export class HmacDataFileSigner implements DataFileSigner {
  constructor(private readonly keys: readonly SigningKey[]) {}

  sign(file: DataFile, expiresAt: Date): string | null {
    const [key] = this.keys;
    if (!key) return null;
    const expires = Math.floor(expiresAt.getTime() / 1000);
    const query = new URLSearchParams({
      expires: String(expires),
      key: key.id,
      signature: signatureOf(file, expires, key).toString('base64url'),
    });
    const path = ['files', file.kind, file.variantId, `${file.region}.csv`].map(encodeURIComponent).join('/');
    return `/${path}?${query}`;
  }

  verify(file: DataFile, query: Readonly<Record<string, unknown>>, now: Date): boolean {
    const { expires, key: keyId, signature } = query;
    if (typeof expires !== 'string' || typeof keyId !== 'string' || typeof signature !== 'string')
      return false;
    const key = this.keys.find((each) => each.id === keyId);
    if (!key || !/^\d{1,12}$/.test(expires)) return false;
    const expected = signatureOf(file, Number(expires), key);
    const given = Buffer.from(signature, 'base64url');
    const genuine = given.length === expected.length && timingSafeEqual(given, expected);
    return genuine && Number(expires) * 1000 > now.getTime();
  }
}

/** JSON keeps the parts apart: no two files or times sign the same text. */
function signatureOf(file: DataFile, expires: number, key: SigningKey): Buffer {
  const text = JSON.stringify([file.kind, file.variantId, file.region, expires, key.id]);
  return createHmac('sha256', key.secret).update(text).digest();
}
