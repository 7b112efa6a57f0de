import { inject, injectable } from 'tsyringe';
import { AppError, callStillRuns, insufficientCredits } from '../errors';
import { type ChargeRequest, type Clock, type CreditLedger, type MemoryRoom, PORTS } from '../ports';
import type { Caller } from './api-key';

/** How a call is identified in accounts and records. */
export interface CallContext {
  readonly caller: Caller;
  /** The caller's request id; not unique, since callers may choose it. */
  readonly requestId: string;
  /** Name of the endpoint in usage reports, such as `v3.vision.identify`. */
  readonly endpoint: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Opens memory for what the call fetches. */
  readonly openRoom?: () => MemoryRoom;
  /** Waits until there is memory for an answer of so many rows; fails with `unavailable` when there is none in time. */
  readonly awaitMemory?: (answer: { readonly rows: number; readonly priced: boolean }) => Promise<void>;
  /** Identity of its charge. */
  readonly chargeId: string;
  /** How the call names itself, where it does: then its answer is kept with its charge. */
  readonly idempotencyKey?: string;
  /** True for a call that is never charged, such as HEAD (contract 10.2). */
  readonly free?: boolean;
}

/** What was made for a call, and what that is worth in credits; 0 is free. */
export interface Priced<Value> {
  readonly value: Value;
  readonly price: number;
}

/** A value with what it cost. `creditsRemaining` is null where the account is unlimited. */
export interface Billed<Value> {
  readonly value: Value;
  readonly creditsUsed: number;
  readonly creditsRemaining: number | null;
}

/** How long a reservation outlives the longest call, should the process die in between. */
export const RESERVATION_MS = 120_000;

/** Calls that credits are held for. */
const HOLDING = new WeakSet<CallContext>();

interface Sold {
  readonly creditsUsed: number;
  readonly creditsRemaining: number | null;
}

/** Calls that were booked before their answer is made; null when that is not known. */
const SOLD = new WeakMap<CallContext, Sold | null>();

/**
 * Charges for work: before it the balance must cover the dearest possible price, which long work holds; what the answer is
 * worth is booked after it, or with the rows that it is made of; and a failure releases everything. Every booking goes
 * through `charge`, only while the caller is there, and anyone who is gone then has it taken back.
 */
@injectable()
export class Billing {
  constructor(
    @inject(PORTS.CreditLedger) private readonly ledger: CreditLedger,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /**
   * Makes sure, before any work, that the balance covers what a call may cost; to be called inside of `charge`. For work of
   * a moment, whose booking asks once more: nothing is held but where the balance of a moment ago does not suffice.
   *
   * @param dearest the highest price that the call could have, in credits
   * @throws AppError 402 when the balance does not cover it
   */
  async cover(call: CallContext, dearest: number): Promise<void> {
    const { credits, held } = call.caller;
    if (credits !== null && credits - held < dearest) await this.reserve(call, dearest);
  }

  /**
   * Holds what a call may cost, before any work; to be called inside of `charge`.
   *
   * @param dearest the highest price that the call could have, in credits
   * @throws AppError 402 when the balance does not cover it
   */
  async reserve(call: CallContext, dearest: number): Promise<void> {
    if (call.caller.credits === null || call.free) return;
    HOLDING.add(call);
    const expiresAt = new Date(this.clock.now().getTime() + RESERVATION_MS);
    if (!(await this.ledger.reserve(chargeOf(call), dearest, expiresAt))) throw insufficientCredits(dearest);
  }

  /** Whether a call can be booked by `sell`: not if it is free, or if its answer is to be kept together with its booking. */
  sells(call: CallContext): boolean {
    return !call.free && call.idempotencyKey === undefined;
  }

  /**
   * Has a call booked in the step that reads what it is for; to be called inside of `charge`. Null for a call that can't
   * be, or when `read` books nothing: then what it is worth is booked after the work.
   *
   * @throws whatever `read` throws
   */
  async sell<Result extends Sold>(
    call: CallContext,
    read: (charge: ChargeRequest) => Promise<Result | null>,
  ): Promise<Result | null> {
    if (!this.sells(call)) return null;
    call.signal?.throwIfAborted();
    SOLD.set(call, null);
    try {
      const sold = await read(chargeOf(call));
      if (sold) SOLD.set(call, sold);
      else SOLD.delete(call);
      return sold;
    } catch (failure) {
      if (isUncovered(failure)) SOLD.delete(call);
      throw failure;
    }
  }

  /**
   * Does `work` and books what it is worth. Anyone who hung up ends the call, and pays nothing; so does anyone who is gone by
   * the time the booking is done, whose charge is taken back.
   *
   * @param work reserves the dearest price and makes the answer
   * @param keptForm of a call that names itself, the text of its answer: kept together with the booking, or neither is
   * @throws AppError 409 when the same call was made again meanwhile; whatever `work` throws
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
      call.signal?.throwIfAborted();
    } catch (failure) {
      const sold = SOLD.get(call);
      if (sold === null || (sold && sold.creditsUsed > 0)) this.#takeBack(call);
      // A reservation that can't be released now lapses by itself; the caller gets the failure of the work.
      else if (HOLDING.has(call)) await this.ledger.release(chargeOf(call)).catch(() => null);
      throw failure;
    }
    const { value } = done;
    const price = call.free ? 0 : done.price;
    const sold = SOLD.get(call);
    if (sold) return { value, creditsUsed: price, creditsRemaining: sold.creditsRemaining };
    const answer = call.idempotencyKey === undefined ? undefined : keptForm(value);
    return { value, creditsUsed: price, creditsRemaining: await this.book(call, price, answer) };
  }

  private async book(call: CallContext, price: number, answer?: string): Promise<number | null> {
    const charge = chargeOf(call);
    if (price === 0 && answer === undefined) {
      return HOLDING.has(call) ? this.ledger.release(charge) : call.caller.credits;
    }
    try {
      const booking = await this.ledger.settle(charge, price, answer);
      if (booking === 'superseded') throw callStillRuns();
      // The booking may have taken so long that the answer comes too late for anybody.
      call.signal?.throwIfAborted();
      return booking.creditsRemaining;
    } catch (failure) {
      if (HOLDING.has(call) || !isUncovered(failure)) this.#takeBack(call);
      throw failure;
    }
  }

  /** Whether a booking that broke off took place is not known; one whose answer comes too late did. */
  #takeBack(call: CallContext): void {
    void this.ledger.takeBack(chargeOf(call)).catch(() => undefined);
  }
}

/** Whether a booking was refused, and so did not take place. */
const isUncovered = (failure: unknown): boolean => failure instanceof AppError && failure.status === 402;

const chargeOf = ({ chargeId, caller, endpoint, requestId, idempotencyKey }: CallContext): ChargeRequest => ({
  chargeId,
  accountId: caller.accountId,
  keyId: caller.keyId,
  endpoint,
  requestId,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});
