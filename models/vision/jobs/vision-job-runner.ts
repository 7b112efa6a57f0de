import { createHash } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import { Billing, type CallContext } from '../../access/billing';
import { visionPrice } from '../../access/credits';
import { idempotencyConflict, unauthorized } from '../../errors';
import type * as ports from '../../ports';
import { NO_SLOT, PORTS } from '../../ports';
import { pauseAfter, TRIES_PER_DAY } from '../../retries';
import { VISION_SETTINGS, VisionService, type VisionSettings } from '../vision-service';
import type { EntryAnswer, LeasedEntry } from './vision-job';
import { ENTRY_PRESENTER, type EntryPresenter, entryName } from './vision-job-service';

/** For an entry, in deadlines of a photo: it ends after this many; after one more its process is considered dead. */
export const ENTRY_DEADLINES = 3;
export const LEASE_DEADLINES = ENTRY_DEADLINES + 1;

/** Entries of one account whose photos this process fetches at the same time (contract 16.5). */
const FETCHED_AT_ONCE = 8;

/** How long a booking is kept for its entry; longer than any installation is down. */
const BOOKED_KNOWN_MS = 365 * 86_400_000;

/** Failures that may be temporary: the same call in another process, an overload, an unavailable store, a deadline. */
const TRANSIENT_STATUSES = [409, 503, 504];

/** Opens memory for what an entry fetches, by the key it is charged to. */
export type OpenEntryMemory = (keyId: string) => ports.MemoryLease;

export const OPEN_ENTRY_MEMORY = Symbol.for('OpenEntryMemory');

/** Processes job entries, each as a call that is booked with its answer: after a crash it finds its booking (contract 16.3, 16.4). */
@injectable()
export class VisionJobRunner {
  /** Accounts of the entries whose photos are being fetched. */
  readonly #fetching: string[] = [];

  constructor(
    @inject(PORTS.VisionJobStore) private readonly jobs: ports.VisionJobStore,
    @inject(PORTS.VisionQueue) private readonly queue: ports.VisionQueue,
    @inject(PORTS.AccountRepository) private readonly accounts: ports.AccountRepository,
    @inject(PORTS.IdempotencyStore) private readonly calls: ports.IdempotencyStore,
    @inject(ENTRY_PRESENTER) private readonly presenter: EntryPresenter,
    @inject(VisionService) private readonly vision: VisionService,
    @inject(Billing) private readonly billing: Billing,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
    @inject(PORTS.Logger) private readonly logger: ports.Logger,
    @inject(OPEN_ENTRY_MEMORY) private readonly openMemory: OpenEntryMemory,
    @inject(VISION_SETTINGS) private readonly settings: VisionSettings,
  ) {}

  /**
   * Works on one entry, if one is due and no photo with a waiting caller has priority (contract 16.5); returns whether
   * there was one.
   * @param signal ends it early, to be restarted; its lease does so in any case
   * @param slot is given up while photos are fetched
   */
  async next(signal: AbortSignal, slot = NO_SLOT): Promise<boolean> {
    if (await this.arePhotosWaiting()) return false;
    const entry = await this.jobs.begin(this.leaseMs, this.accountsAtLimit());
    if (!entry) return false;
    slot.reportWork();
    const named = namedCall(entry);
    const inTime = AbortSignal.timeout(ENTRY_DEADLINES * this.settings.deadlineMs);
    // A timeout signal without a listener of its own may be collected, and then never aborts what `any` makes of it.
    inTime.addEventListener('abort', () => undefined, { once: true });
    const until = { slot, signal: AbortSignal.any([signal, inTime]) };
    const answer = await this.answer(entry, named, until).catch((failure) =>
      this.answerFailure(entry, failure),
    );
    // A process wrongly considered dead leaves the booking to the one that replaced it.
    if (answer && (await this.jobs.finish(entry, answer))) await this.calls.drop(named);
    return true;
  }

  /** True also if the queue is unavailable, and nothing could be answered. */
  private arePhotosWaiting(): Promise<boolean> {
    return this.queue.depth().then(
      ({ waiting }) => waiting > 0,
      () => true,
    );
  }

  /** The answer to a failed entry; null when it is to be restarted. */
  private async answerFailure(entry: LeasedEntry, failure: unknown): Promise<EntryAnswer | null> {
    const requestId = entryName(entry.jobId, entry.position);
    const { status, body } = this.presenter.refusal(failure, requestId);
    if (status >= 500) this.logger.warn({ requestId, status, reason: String(failure) }, 'job entry');
    // Other calls may hold what the balance has (contract 16.3).
    const credits = status === 402 ? (await this.accounts.callerByKeyId(entry.keyId))?.credits : null;
    const isHeld = (credits ?? 0) >= priceOf(entry);
    if (!(isHeld || TRANSIENT_STATUSES.includes(status)) || entry.tries >= TRIES_PER_DAY) {
      return { state: 'failed', predictionId: null, answer: body };
    }
    await this.jobs.postpone(entry, this.later(pauseAfter(isHeld ? 1 : entry.tries)));
    return null;
  }

  private async answer(
    entry: LeasedEntry,
    named: ports.IdempotentCall,
    { slot, signal }: { readonly slot: ports.WorkSlot; readonly signal: AbortSignal },
  ): Promise<EntryAnswer> {
    const caller = await this.accounts.callerByKeyId(entry.keyId);
    if (!caller) throw unauthorized();
    const claim = await this.calls.claim(named, this.later(this.leaseMs), this.later(BOOKED_KNOWN_MS));
    if (claim.kind === 'answered') {
      let answer = '';
      for await (const piece of this.calls.answer(named, claim.chargeId)) answer += piece;
      return JSON.parse(answer);
    }
    if (claim.kind !== 'granted') throw idempotencyConflict();
    const { chargeId } = claim;
    try {
      return await this.chargeEntry(entry, slot, { caller, chargeId, signal, idempotencyKey: named.key });
    } catch (failure) {
      await this.calls.forget(named, chargeId);
      throw failure;
    }
  }

  private async chargeEntry(
    leased: LeasedEntry,
    slot: ports.WorkSlot,
    named: NamedCall,
  ): Promise<EntryAnswer> {
    const { entry, includes, accountId, keyId, jobId, position } = leased;
    const call = {
      ...named,
      requestId: entryName(jobId, position),
      endpoint: 'v3.vision.jobs',
      openMemory: () => this.openMemory(keyId),
      whileFetching: (wait: () => Promise<unknown>) => this.waitForHosts(accountId, slot, wait),
    };
    const asked = { ...entry, pricing: includes.includes('pricing'), price: priceOf(leased) };
    const work = async () => {
      const found = await this.vision.identify(call, asked);
      const answer = this.presenter.answer(found.value, found.price, leased);
      const { predictionId } = found.value;
      return { ...found, value: { state: 'done' as const, predictionId, answer } };
    };
    return (await this.billing.charge<EntryAnswer>(call, work, (answer) => JSON.stringify(answer))).value;
  }

  private async waitForHosts(account: string, slot: ports.WorkSlot, wait: () => Promise<unknown>) {
    this.#fetching.push(account);
    try {
      return await slot.releaseWhile(wait);
    } finally {
      this.#fetching.splice(this.#fetching.indexOf(account), 1);
    }
  }

  /** Accounts that have no further turn until a host has answered. */
  private accountsAtLimit(): string[] {
    const countOf = (account: string) => this.#fetching.filter((each) => each === account).length;
    return [...new Set(this.#fetching)].filter((account) => countOf(account) >= FETCHED_AT_ONCE);
  }

  private get leaseMs(): number {
    return LEASE_DEADLINES * this.settings.deadlineMs;
  }

  private later(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}

type NamedCall = Required<Pick<CallContext, 'caller' | 'chargeId' | 'signal' | 'idempotencyKey'>>;

const priceOf = ({ includes, entry: { photos } }: LeasedEntry): number =>
  visionPrice(includes.includes('pricing'), photos);

/** The call of an entry, under a name that is not a valid `Idempotency-Key`. */
function namedCall({ accountId, jobId, position }: LeasedEntry): ports.IdempotentCall {
  const key = `entry ${entryName(jobId, position)}`;
  return { accountId, key, fingerprint: createHash('sha256').update(key).digest() };
}
