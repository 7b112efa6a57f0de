import { randomUUID } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import { AppError, idempotencyConflict, insufficientCredits, messageOf } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { orAborted } from '../promises';
import type { Caller } from './api-key';

export interface CallContext
  extends Pick<ports.ChargeRequest, 'requestId' | 'endpoint' | 'chargeId' | 'idempotencyKey'> {
  readonly caller: Caller;
  /** Aborted when nobody is waiting for the answer any more. */
  readonly signal?: AbortSignal;
  /** Opens a memory lease for what the call fetches. */
  readonly openMemory?: () => ports.MemoryLease;
  /** Around the wait for hosts: an entry of a job leaves its slot to others meanwhile. */
  readonly whileFetching?: (wait: () => Promise<unknown>) => Promise<unknown>;
  /** Waits until there is memory for the answer; fails with `unavailable` when there is none in time. */
  readonly awaitMemory?: () => Promise<void>;
  /** True for a call that is never charged, such as HEAD (contract 10.2). */
  readonly free?: boolean;
}

export interface Priced<Value> {
  readonly value: Value;
  readonly price: number;
  /** Other work that the booking waits for; if it fails, the booking is refunded. */
  readonly beside?: Promise<unknown>;
}

/** `creditsRemaining` is null if the account is unlimited. */
export interface Billed<Value> {
  readonly value: Value;
  readonly creditsUsed: number;
  readonly creditsRemaining: number | null;
}

/** Reservations expire after this, in case their process dies; longer than a call or an entry of a job takes with the default deadline. */
export const RESERVATION_MS = 120_000;

/** Begins with the time: charges at random places of the ledger's index would each write a page of it to PostgreSQL's log. */
export const newChargeId = (now: Date): string => `${now.getTime().toString(36)}-${randomUUID()}`;

/** Whether credits are held for a call; its booking, null when it is unknown whether it was made. */
const LEDGER_HAS = new WeakMap<CallContext, { held?: true; sold?: Omit<ports.Sold, 'items'> | null }>();

/**
 * Charges for work: before it the balance must cover the highest possible price, which is held during long work; the price
 * of the answer is booked after it, or together with reading its rows; a failure releases everything. Every booking goes
 * through `charge`, only while the caller is connected; if the caller is gone afterwards, the booking is refunded.
 */
@injectable()
export class Billing {
  constructor(
    @inject(PORTS.CreditLedger) private readonly ledger: ports.CreditLedger,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
    @inject(PORTS.Logger) private readonly logger: ports.Logger,
  ) {}

  /**
   * Makes sure, before any work, that the balance covers the highest possible price of a call; inside `charge`. For short
   * work, whose booking checks again: nothing is held unless the balance of a moment ago does not suffice.
   * @throws AppError 402 when the balance does not cover it
   */
  async assertAffordable(call: CallContext, maxPrice: number): Promise<void> {
    if (!this.seemsAffordable(call, maxPrice)) await this.reserve(call, maxPrice);
  }

  /** Whether the balance covered a price a moment ago, when the key was looked up. */
  seemsAffordable({ caller: { credits, held } }: CallContext, price: number): boolean {
    return credits === null || credits - held >= price;
  }

  /** Holds the highest possible price of a call, before any work (contract 10.4); inside `charge`. @throws AppError 402 as above */
  async reserve(call: CallContext, maxPrice: number): Promise<void> {
    if (call.caller.credits === null || call.free) return;
    LEDGER_HAS.set(call, { held: true });
    const expiresAt = new Date(this.clock.now().getTime() + RESERVATION_MS);
    if (!(await this.ledger.reserve(chargeOf(call), maxPrice, expiresAt)))
      throw insufficientCredits(maxPrice);
  }

  /** Whether a call can be booked by `sell`: not if it is free, or if its answer must be kept together with its booking. */
  sells(call: CallContext): boolean {
    return !call.free && call.idempotencyKey === undefined;
  }

  /** Books a call in the step that reads its rows; inside `charge`, which books it later if this can't and returns null. */
  async sell(call: CallContext, sale: ports.Sale): Promise<ports.Sold | null> {
    if (!this.sells(call)) return null;
    call.signal?.throwIfAborted();
    const before = LEDGER_HAS.get(call);
    LEDGER_HAS.set(call, { ...before, sold: null });
    let sold: ports.Sold | null = null;
    try {
      sold = await this.ledger.sell(chargeOf(call), sale);
    } catch (failure) {
      if (isUncovered(failure)) LEDGER_HAS.set(call, { ...before });
      throw failure;
    }
    const { creditsUsed = 0, creditsRemaining = null } = sold ?? {};
    // Without the rows: what a WeakMap holds outlives its key until a full garbage collection.
    LEDGER_HAS.set(call, sold ? { ...before, sold: { creditsUsed, creditsRemaining } } : { ...before });
    return sold;
  }

  /**
   * Does `work` and books its price. A caller that disconnects before the booking is done ends the call and pays nothing (contract 10.6).
   * @param work reserves the highest price and makes the answer
   * @param keptForm text of the answer of an idempotent call: kept together with the booking, or neither is
   * @throws AppError 409 when the same call was repeated meanwhile; whatever `work` throws
   */
  async charge<Value>(
    call: CallContext,
    work: () => Promise<Priced<Value>>,
    keptForm: (value: Value) => string,
  ): Promise<Billed<Value>> {
    let done: Priced<Value>;
    try {
      call.signal?.throwIfAborted();
      done = await work();
      if (done.beside && LEDGER_HAS.get(call)?.sold) await orAborted(done.beside, call.signal);
      call.signal?.throwIfAborted();
    } catch (failure) {
      const { held, sold } = LEDGER_HAS.get(call) ?? {};
      if (sold === null || (sold && sold.creditsUsed > 0)) this.#refund(call, sold?.creditsUsed);
      // A reservation that can't be released now expires by itself; the caller gets the failure of the work.
      else if (held) await this.ledger.settle(chargeOf(call), 0).catch(() => null);
      throw failure;
    }
    const { value, beside } = done;
    const creditsUsed = call.free ? 0 : done.price;
    const sold = LEDGER_HAS.get(call)?.sold;
    if (sold) return { value, creditsUsed, creditsRemaining: sold.creditsRemaining };
    const answer = call.idempotencyKey === undefined ? undefined : keptForm(value);
    return { value, creditsUsed, creditsRemaining: await this.#book(call, creditsUsed, answer, beside) };
  }

  /** @param work ends before the booking counts */
  async #book(call: CallContext, price: number, answer?: string, work?: Promise<unknown>) {
    const charge = chargeOf(call);
    const held = LEDGER_HAS.get(call)?.held;
    const beside = work && orAborted(work, call.signal);
    if (price === 0 && answer === undefined && !held) {
      await beside;
      return call.caller.credits;
    }
    let unanswered = price;
    try {
      // A repetition may be answered as soon as the answer is kept.
      if (answer !== undefined) await beside;
      const [booking] = await Promise.all([this.ledger.settle(charge, price, answer), beside]);
      if (booking === 'superseded') {
        unanswered = 0;
        throw idempotencyConflict();
      }
      // The booking may have taken so long that nobody is waiting for the answer any more.
      call.signal?.throwIfAborted();
      return booking.creditsRemaining;
    } catch (failure) {
      if (isUncovered(failure)) unanswered = 0;
      if (held || !isUncovered(failure)) this.#refund(call, unanswered);
      throw failure;
    }
  }

  /** It is unknown whether an interrupted booking took place; one whose answer comes too late did. */
  #refund(call: CallContext, amount?: number): void {
    const { chargeId, accountId } = chargeOf(call);
    void this.ledger.refund(chargeOf(call)).catch((failure: unknown) => {
      const details = { accountId, chargeId, amount: amount ?? 'unknown', reason: messageOf(failure) };
      this.logger.error(details, 'a call without an answer may stay charged: its refund failed');
    });
  }
}

/** Whether a booking was refused, and so did not take place. */
const isUncovered = (failure: unknown): boolean => failure instanceof AppError && failure.status === 402;

const chargeOf = ({ caller, chargeId, endpoint, requestId, idempotencyKey }: CallContext) => ({
  ...{ chargeId, accountId: caller.accountId, keyId: caller.keyId, endpoint, requestId },
  isUnlimited: caller.credits === null,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});
