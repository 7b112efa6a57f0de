import { createHash, randomBytes } from 'node:crypto';

export const API_VERSIONS = ['v1', 'v2', 'v3'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

export const SCOPES = ['catalog:read', 'vision:identify', 'catalog:write'] as const;
export type Scope = (typeof SCOPES)[number];

export const DEFAULT_SCOPES: readonly Scope[] = ['catalog:read', 'vision:identify'];

/** Limits of a key; null means the default of the settings, 0 means none. */
export interface KeyLimits {
  readonly perSecond: number | null;
  readonly perMinute: number | null;
  readonly concurrency: number | null;
}

/** Most characters of the name of an account or a key, and of a note. */
export const NAME_LENGTH_MAX = 200;

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Credits left, not reduced by reservations; null means unlimited. */
  readonly credits: number | null;
  /** Whether photos are kept as long as their predictions (contract 7.11). */
  readonly keepsPhotos: boolean;
}

export interface ApiKey extends Owner {
  readonly id: string;
  readonly name: string;
  readonly versions: readonly ApiVersion[];
  readonly limits: KeyLimits;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** The key stops working then; null: never. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The owner of something: an account's live keys together, or its test keys together (contract 9.12). */
export interface Owner {
  readonly accountId: string;
  readonly test: boolean;
}

/** The caller: the key, and the state of its account when the call came. */
export interface Caller extends Owner, Pick<ApiKey, 'versions' | 'scopes' | 'limits'> {
  readonly keyId: string;
  /** Credits left, not reduced by reservations; null means unlimited. */
  readonly credits: number | null;
  /** Of these, how many other calls hold. */
  readonly held: number;
  readonly keepsPhotos: boolean;
  /** Of the taxonomy, when the call came. */
  readonly taxonomyVersion: number;
  /** Changes whenever the live embedding version does; null while none is live. */
  readonly liveStamp: string | null;
}

/** Checks the form only (contract 9.2). */
export const isKeyForm = (credential: string): boolean =>
  /^loupe_(live|test)_[0-9A-Za-z]{32,128}$/.test(credential);

/** Whether a key with these versions may call an endpoint: v2 endpoints accept v2 or v1, all others only their own version. */
export function allowsVersion(versions: readonly ApiVersion[], endpoint: ApiVersion): boolean {
  return versions.includes(endpoint) || (endpoint === 'v2' && versions.includes('v1'));
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new credential: prefix and 43 base62 characters, 256 bits of them random (contract 9.2). */
export function generateKey(test: boolean): string {
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
