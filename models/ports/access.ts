import type { Account, ApiKey, ApiVersion, Caller, KeyLimits, Scope } from '../access/api-key';
import type { LimitState } from '../errors';
import type { Sale, Sold } from './catalog';

export interface ListPage {
  readonly after: string | null;
  readonly limit: number;
}

export interface NewKeyRecord {
  readonly accountId: string;
  readonly name: string;
  readonly versions: readonly ApiVersion[];
  readonly test: boolean;
  readonly limits: KeyLimits;
  readonly hash: Buffer;
  /** Default: reads the catalog and identifies photos. */
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date | null;
}

export type KeyRotation = { readonly endsAt: Date; readonly expiresAt?: Date | undefined };

/** Accounts and keys. Callers are null for unknown, revoked or expired keys; accounts and keys for unknown ids. */
export interface AccountRepository {
  callerByKeyHash(hash: Buffer): Promise<Caller | null>;
  callerByKeyId(id: string): Promise<Caller | null>;
  createAccount(name: string, credits: number | null): Promise<Account>;
  /** The unlimited account `account_<name>`, created if missing; concurrent calls get the same one. */
  ensureAccount(name: string): Promise<Account>;
  /** The oldest first; a page of them, or all. */
  listAccounts(page?: ListPage): Promise<readonly Account[]>;
  account(id: string): Promise<Account | null>;
  /** Whether photos are kept with predictions from now on; `false` deletes those that were. */
  keepPhotos(id: string, keep: boolean): Promise<void>;
  createKey(key: NewKeyRecord): Promise<ApiKey>;
  /**
   * Makes a key equivalent to another, which ends at `endsAt`, or at the end of an earlier overlap. Null for a key that no
   * longer works. Without `expiresAt` the new key gets the lifetime of the first key of the rotation chain.
   */
  rotateKey(id: string, hash: Buffer, rotation: KeyRotation): Promise<ApiKey | null>;
  key(id: string): Promise<ApiKey | null>;
  /** The oldest first; of one account, or all. */
  listKeys(accountId?: string, page?: ListPage): Promise<readonly ApiKey[]>;
  /** The account of the key, even if it was already revoked. */
  revokeKey(id: string): Promise<string | null>;
  /** Counts calls of a test key in this month (UTC); if that would exceed `max`, counts none and returns false. */
  countTestCalls(keyId: string, calls: number, max: number): Promise<boolean>;
}

/** A charge of one call: reserved before the work, settled or released after it. */
export interface ChargeRequest {
  readonly chargeId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Whether its account has no limit, so neither a balance nor reservations; an account never changes that. */
  readonly isUnlimited?: boolean;
  /** Its name in usage reports, such as `v3.vision.identify`. */
  readonly endpoint: string;
  /** Not unique, since callers may choose it. */
  readonly requestId: string;
  /** If there is one, the answer is kept with the charge. */
  readonly idempotencyKey?: string;
}

/** The outcome of a booking; `superseded` when its idempotent call now has another charge. */
export type Booking = { readonly creditsRemaining: number | null } | 'superseded';

export interface UsageLine {
  readonly day: string;
  readonly endpoint: string;
  readonly calls: number;
  readonly credits: number;
}

export interface TopUp {
  readonly at: Date;
  /** Negative for a correction. */
  readonly amount: number;
  readonly note: string | null;
}

/** Movements of credits: their sum is the sum of all `credits_used`. Balances are never negative, and null if the account is unlimited. */
export interface CreditLedger {
  /** Holds `amount` until `expiresAt`; false when the balance minus held credits does not cover it. */
  reserve(charge: ChargeRequest, amount: number, expiresAt: Date): Promise<boolean>;
  /** Books `amount` (0: nothing), frees the rest of what was reserved and returns the balance. Idempotent. @param answer kept in the same transaction */
  settle(charge: ChargeRequest, amount: number, answer?: string): Promise<Booking>;
  /**
   * Reads rows and books their price in one step. Null, and nothing is booked, when the catalog is no longer in the state of
   * the sale. @throws AppError 402
   */
  sell(charge: ChargeRequest, sale: Sale): Promise<Sold | null>;
  /** Reverts everything held, booked and kept for a call whose answer nobody received, not even a repeat. Retries for a while. */
  refund(charge: ChargeRequest): Promise<void>;
  /** Frees expired reservations of calls that died with their process. */
  expireReservations(): Promise<void>;
  /**
   * Adds credits to a limited account, or removes some, and returns its balance; null when it is unknown or unlimited.
   * @throws AppError 400 when the balance would be above `CREDITS_MAX`, or below the credits held by running calls
   */
  topUp(accountId: string, amount: number, note: string | null): Promise<number | null>;
  /** Oldest first. */
  topUps(accountId: string): Promise<readonly TopUp[]>;
  /** The charges to an account: by its test keys, by its live keys, or by all. */
  usage(
    accountId: string,
    since: Date | null,
    until: Date | null,
    test?: boolean,
  ): Promise<readonly UsageLine[]>;
}

export interface IdempotentCall {
  readonly accountId: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** The state of an idempotent call; `other call` means that its key was sent with a different request. */
export type Claim =
  | { readonly kind: 'granted'; readonly chargeId: string }
  | { readonly kind: 'answered'; readonly chargeId: string; readonly bytes: number }
  | { readonly kind: 'running' }
  | { readonly kind: 'other call' };

/** Answers to calls that are made once per account and key, however often they are sent. */
export interface IdempotencyStore {
  /** Claims a call until `leasedUntil`; afterwards it may be claimed again, under a new charge. After `expiresAt` its key is free. */
  claim(call: IdempotentCall, leasedUntil: Date, expiresAt: Date): Promise<Claim>;
  /** The kept answer, in pieces of at most `TEXT_PIECE` characters. */
  answer(call: IdempotentCall, chargeId: string): AsyncIterable<string>;
  /** Frees the key of a claimed call that will not get an answer. */
  forget(call: IdempotentCall, chargeId: string): Promise<void>;
  /** Drops a call whose answer is now kept elsewhere. */
  drop(call: IdempotentCall): Promise<void>;
}

export interface LimitDecision extends LimitState {
  readonly allowed: boolean;
}

/** Counts calls per key, shared by all processes of an installation. */
export interface RateLimiter {
  /** Counts one call against a window; windows with a limit of 0 are not checked. */
  consume(keyId: string, window: 'second' | 'minute', limit: number): Promise<LimitDecision>;
  /** Takes `slots` (default: 1) of the concurrency of a key, all or none: null when fewer are free. Slots expire. */
  acquire(
    keyId: string,
    limit: number,
    expiryMs: number,
    slots?: number,
  ): Promise<{ release(): Promise<void> } | null>;
}
