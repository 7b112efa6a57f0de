import { inject, injectable } from 'tsyringe';
import { insufficientCredits } from '../errors';
import { type ChargeRequest, type Clock, type CreditLedger, type IdSource, PORTS } from '../ports';
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
  /** Identity of its charge, for a call that may be made again after it broke off; else it gets one of its own. */
  readonly chargeId?: string;
  /** True for a call that is never charged, such as HEAD (decisions.md 1). */
  readonly free?: boolean;
}

/** A value with what it cost. `creditsRemaining` is null where the account is unlimited. */
export interface Billed<Value> {
  readonly value: Value;
  readonly creditsUsed: number;
  readonly creditsRemaining: number | null;
}

/** How long a reservation outlives the longest call, should the process die in between. */
const RESERVATION_MS = 120_000;

/**
 * Charges for work (interface.md 8, decisions.md 3): the dearest possible price is reserved before it, what the answer
 * is worth is settled after it, and a failure releases everything. One charge id per call, so nothing books twice.
 */
@injectable()
export class Billing {
  constructor(
    @inject(PORTS.CreditLedger) private readonly ledger: CreditLedger,
    @inject(PORTS.Clock) private readonly clock: Clock,
    @inject(PORTS.IdSource) private readonly ids: IdSource,
  ) {}

  /**
   * Runs `work` under a reservation.
   *
   * @param dearest the highest price that the call could have, in credits
   * @param work gives the value and its price, at most `dearest`; 0 is free
   * @throws AppError 402 before any work when the balance does not cover `dearest`, or whatever `work` throws
   */
  async charge<Value>(
    call: CallContext,
    dearest: number,
    work: () => Promise<{ value: Value; price: number }>,
  ): Promise<Billed<Value>> {
    const charge: ChargeRequest = {
      chargeId: call.chargeId ?? this.ids.next(),
      accountId: call.caller.accountId,
      keyId: call.caller.keyId,
      endpoint: call.endpoint,
      requestId: call.requestId,
    };
    if (call.caller.credits !== null && !call.free) await this.reserve(charge, dearest);
    const { value, price: worth } = await this.releasingOnFailure(call, charge, async () => {
      const done = await work();
      // Nobody pays for an answer that nobody waits for: the ledger holds what was answered.
      call.signal?.throwIfAborted();
      return done;
    });
    const price = call.free ? 0 : worth;
    const creditsRemaining = await this.book(call, charge, price);
    return { value, creditsUsed: price, creditsRemaining };
  }

  private async reserve(charge: ChargeRequest, dearest: number): Promise<void> {
    const expiresAt = new Date(this.clock.now().getTime() + RESERVATION_MS);
    if (!(await this.ledger.reserve(charge, dearest, expiresAt))) throw insufficientCredits(dearest);
  }

  private async releasingOnFailure<Result>(
    call: CallContext,
    charge: ChargeRequest,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (failure) {
      // A reservation that can't be released now lapses by itself; the caller gets the failure of the work.
      if (call.caller.credits !== null) await this.ledger.release(charge).catch(() => null);
      throw failure;
    }
  }

  private async book(call: CallContext, charge: ChargeRequest, price: number): Promise<number | null> {
    if (price === 0) return call.caller.credits === null ? null : this.ledger.release(charge);
    try {
      const creditsRemaining = await this.ledger.settle(charge, price);
      // The ledger may have taken so long that its answer comes too late for anybody.
      call.signal?.throwIfAborted();
      return creditsRemaining;
    } catch (failure) {
      // Whether a booking that broke off took place is not known; but a call that may be made again keeps its charge.
      if (call.chargeId === undefined) void this.ledger.takeBack(charge).catch(() => undefined);
      throw failure;
    }
  }
}
