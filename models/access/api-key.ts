/** API generations; a key lists those that it opens (interface.md 5). */
export const API_VERSIONS = ['v1', 'v2', 'v3'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

/** Limits of a key; null means the default of the settings, 0 means none. */
export interface KeyLimits {
  readonly perSecond: number | null;
  readonly perMinute: number | null;
  /** Vision calls at the same time. */
  readonly concurrency: number | null;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Credits left, reservations not counted in; null is unlimited. */
  readonly credits: number | null;
}

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly versions: readonly ApiVersion[];
  readonly limits: KeyLimits;
  readonly test: boolean;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Who calls: the key, and what its account had when the call came. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
  readonly versions: readonly ApiVersion[];
  readonly limits: KeyLimits;
  /** Credits left, reservations not counted in; null is unlimited. */
  readonly credits: number | null;
}

const KEY_FORM = /^loupe_(live|test)_[0-9A-Za-z]{32,128}$/;

/** Whether a credential has the form of a key (decisions.md 2), decided before any look-up. */
export const isKeyForm = (credential: string): boolean => KEY_FORM.test(credential);

/** Whether the versions of a key open an endpoint of this version: a v2 endpoint needs v2 or v1, the others their own. */
export function opens(versions: readonly ApiVersion[], endpoint: ApiVersion): boolean {
  return versions.includes(endpoint) || (endpoint === 'v2' && versions.includes('v1'));
}
