import type { Account, ApiKey, ApiVersion, Caller, KeyLimits, Scope } from '../access/api-key';
import type { LimitState } from '../errors';

/** A part of a list. */
export interface ListPage {
  /** Id of the entry before it; null at the start. */
  readonly after: string | null;
  readonly limit: number;
}

/** Accounts and keys. */
export interface AccountRepository {
  /** The caller behind a credential, looked up by its SHA-256; null for unknown, revoked and expired keys. */
  callerByKeyHash(hash: Buffer): Promise<Caller | null>;
  /** The caller behind a key, by its id; null for unknown, revoked and expired keys. */
  callerByKeyId(id: string): Promise<Caller | null>;
  createAccount(name: string, credits: number | null): Promise<Account>;
  /** The unlimited account `account_<name>`, made if there is none; however many ask at once, it is one. */
  ensureAccount(name: string): Promise<Account>;
  /** The oldest first; a page of them, or all. */
  listAccounts(page?: ListPage): Promise<readonly Account[]>;
  /** Null when there is no such account. */
  account(id: string): Promise<Account | null>;
  /** Whether photos are kept with predictions from now on; those that were are deleted with `false`. */
  keepPhotos(id: string, keep: boolean): Promise<void>;
  createKey(key: {
    accountId: string;
    name: string;
    versions: readonly ApiVersion[];
    test: boolean;
    limits: KeyLimits;
    hash: Buffer;
    /** Default: reads the catalog and identifies photos. */
    scopes?: readonly Scope[];
    /** Default: never. */
    expiresAt?: Date | null;
  }): Promise<ApiKey>;
  /**
   * Makes a key that does what another one does, which opens nothing from `endsAt` on, or from the end of an earlier overlap.
   * Null when there is no such key, or when it opens nothing already. `expiresAt` undefined: the new key lives as long as the
   * old one was made to, however often that one was rotated.
   */
  rotateKey(
    id: string,
    hash: Buffer,
    options: { readonly endsAt: Date; readonly expiresAt?: Date | undefined },
  ): Promise<ApiKey | null>;
  /** Null when there is no such key. */
  key(id: string): Promise<ApiKey | null>;
  /** The oldest first; of one account, or all. */
  listKeys(accountId?: string, page?: ListPage): Promise<readonly ApiKey[]>;
  /** The account of the key, also when it was revoked before; null when there is no such key. */
  revokeKey(id: string): Promise<string | null>;
  /** Counts calls of a test key in this month (UTC); false, and none is counted, when there would be more than `max`. */
  countTestCalls(keyId: string, calls: number, max: number): Promise<boolean>;
}

/** A charge of one call: reserved before the work, settled or released after it. */
export interface ChargeRequest {
  /** Identity of the charge, ours; a repeated settle of it changes nothing. */
  readonly chargeId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly endpoint: string;
  readonly requestId: string;
  /** Name of the idempotent call that it is for. */
  readonly idempotencyKey?: string;
}

/** What became of a booking; `superseded` when the idempotent call that it was for is no longer under this charge. */
export type Booking = { readonly creditsRemaining: number | null } | 'superseded';

/** One line of an account's usage. */
export interface UsageLine {
  readonly day: string;
  readonly endpoint: string;
  readonly calls: number;
  readonly credits: number;
}

/** Credits that an operator added to an account, or took off. */
export interface TopUp {
  readonly at: Date;
  /** Negative for a correction. */
  readonly amount: number;
  readonly note: string | null;
}

/**
 * Credits as they move. Balances never fall below zero, whatever runs at the same time; the sum of the ledger is the
 * sum of what was answered as `credits_used`.
 */
export interface CreditLedger {
  /** Holds `amount` until `expiresAt`; false when the balance less what is held does not cover it. */
  reserve(charge: ChargeRequest, amount: number, expiresAt: Date): Promise<boolean>;
  /**
   * Books `amount` (at most what was reserved) and frees the rest; the balance left is null when unlimited. A repeated
   * call changes nothing.
   *
   * @param answer of an idempotent call, kept for its repetitions: both happen or neither
   */
  settle(charge: ChargeRequest, amount: number, answer?: string): Promise<Booking>;
  /** Frees a reservation without a charge; the balance left, null when unlimited. Idempotent. */
  release(charge: ChargeRequest): Promise<number | null>;
  /**
   * Takes back what was held, booked and kept for a call whose answer nobody got; nothing when a repetition got it. Tries
   * again for a while when the store is away, and rejects when that does not help.
   */
  takeBack(charge: ChargeRequest): Promise<void>;
  /** Frees what reservations hold whose time is over: of calls that died with their process. */
  lapse(): Promise<void>;
  /**
   * Adds credits to a limited account, or takes some off, and answers its balance; null when the account is unknown or
   * unlimited.
   *
   * @param note why, in the operator's words
   * @throws AppError 400 when the balance would be above `CREDITS_MAX`, or below what running calls hold
   */
  topUp(accountId: string, amount: number, note: string | null): Promise<number | null>;
  /** All that was added and taken off by hand, oldest first. */
  topUps(accountId: string): Promise<readonly TopUp[]>;
  /** What an account was charged: by its test keys, by its live keys, or by all. */
  usage(
    accountId: string,
    since: Date | null,
    until: Date | null,
    test?: boolean,
  ): Promise<readonly UsageLine[]>;
}

/** A call that names itself: anyone who sends it again wants the answer of the first time. */
export interface IdempotentCall {
  readonly accountId: string;
  /** The caller's name for it. */
  readonly key: string;
  /** SHA-256 of what is asked. */
  readonly fingerprint: Buffer;
}

/** What is known of a call that names itself. */
export type Claim =
  /** It is the caller's to make, under this charge. */
  | { readonly kind: 'granted'; readonly chargeId: string }
  /** Under this charge, with so many bytes. */
  | { readonly kind: 'answered'; readonly chargeId: string; readonly bytes: number }
  | { readonly kind: 'running' }
  /** The key stands for something else that was asked. */
  | { readonly kind: 'other call' };

/** Answers of calls that are made once per account and key, however often they are sent. */
export interface IdempotencyStore {
  /**
   * Claims a call until `leasedUntil`. One whose lease is over may be claimed again, under a new charge: the old one was
   * not booked, and never will be. After `expiresAt` the key is free for anything.
   */
  claim(call: IdempotentCall, leasedUntil: Date, expiresAt: Date): Promise<Claim>;
  /** Reads the answer of a call that was answered, in pieces of at most `TEXT_PIECE` characters. */
  answer(call: IdempotentCall, chargeId: string): AsyncIterable<string>;
  /** Frees the key of a claimed call that has no answer and will get none. */
  forget(call: IdempotentCall, chargeId: string): Promise<void>;
  /** Drops a call whose answer is kept elsewhere by now. */
  drop(call: IdempotentCall): Promise<void>;
}

/** What a limit says about one call. */
export interface LimitDecision extends LimitState {
  readonly allowed: boolean;
}

/** Counts calls per key, shared by all processes of an installation. */
export interface RateLimiter {
  /** Counts one call against a window; windows with a limit of 0 are not asked. */
  consume(keyId: string, window: 'second' | 'minute', limit: number): Promise<LimitDecision>;
  /**
   * Takes places among those that a key has at a time, all or none: null when fewer are free. Places lapse by themselves.
   *
   * @param places how many; default: 1
   */
  acquire(
    keyId: string,
    limit: number,
    lapseMs: number,
    places?: number,
  ): Promise<{ release(): Promise<void> } | null>;
}
