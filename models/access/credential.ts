import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new credential: prefix and 43 base62 characters, 256 bits of them random (contract 9.2). */
export function makeKey(test: boolean): string {
  let value = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let position = 0; position < 43; position += 1) {
    digits += ALPHABET[Number(value % 62n)] ?? '';
    value /= 62n;
  }
  return `loupe_${test ? 'test' : 'live'}_${digits}`;
}

/** The stored form of a credential: its SHA-256. The credential has 256 random bits, so a plain hash suffices. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest();
