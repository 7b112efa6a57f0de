import { createHash, randomUUID } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import type { Owner } from '../../access/api-key';
import { Billing, type CallContext } from '../../access/billing';
import { visionPrice } from '../../access/credits';
import { scopeOf } from '../../catalog/resolve-scope';
import { AppError, notFound, rateLimited } from '../../errors';
import { type CatalogRepository, type ImagePreparer, PORTS, type VisionJobStore } from '../../ports';
import { onceAborted } from '../../promises';
import { atPath, failAt, type ImageAddress, type ImageInput, type KeptInput } from '../image-input';
import type { Identification } from '../vision-service';
import type { EntryAnswer, EntryView, KeptEntry, SentEntry, VisionJob } from './vision-job';

/** Writes answers as the caller of a job gets them: in the form of identification answers. */
export interface EntryPresenter {
  answer(found: Identification, creditsUsed: number, view: EntryView): object;
  /** Any failure, with its HTTP status. */
  refusal(failure: unknown, requestId: string): { readonly status: number; readonly body: object };
}

export const ENTRY_PRESENTER = Symbol.for('EntryPresenter');

/** How many entries without an answer an owner may have (contract 16.9). */
const OPEN_ENTRIES_MAX = 1_000;
/** Seconds after which some of them will be answered. */
const RETRY_AFTER_SECONDS = 60;

export interface JobRequest extends EntryView {
  readonly entries: readonly SentEntry[];
  /** SHA-256 of the body, for a call with an idempotency key. */
  readonly bodyDigest: Buffer | undefined;
}

/** Callers' jobs: photos that are processed later (contract 16). */
@injectable()
export class VisionJobService {
  constructor(
    @inject(PORTS.VisionJobStore) private readonly jobs: VisionJobStore,
    @inject(PORTS.ImagePreparer) private readonly preparer: ImagePreparer,
    @inject(PORTS.CatalogRepository) private readonly catalog: CatalogRepository,
    @inject(ENTRY_PRESENTER) private readonly presenter: EntryPresenter,
    @inject(Billing) private readonly billing: Billing,
  ) {}

  /**
   * Stores a job. Photos sent as bytes are prepared first, one after the other, so that other photos are decoded in
   * between.
   * @throws AppError 400 for an entry with an unknown category or tag, 402 when the balance does not cover the most expensive entry, 429 when the account has too many open ones
   */
  async create(call: CallContext, request: JobRequest): Promise<VisionJob> {
    const { accountId, test, keyId } = call.caller;
    const { includes, baseUrl } = request;
    // Avoids preparing the photos of a job that will be refused; the binding check is made when it is stored.
    const open = await this.jobs.openEntries(call.caller);
    if (open + request.entries.length > OPEN_ENTRIES_MAX) throw tooManyEntries(open);
    const taxonomy = await this.catalog.taxonomy(call.caller.taxonomyVersion);
    for (const [position, entry] of request.entries.entries()) {
      await scopeOf(call.caller, entry, taxonomy, this.catalog).catch((failure: unknown) => {
        throw atPath(`entries.${position}.`, failure);
      });
    }
    const prices = request.entries.map(({ photos }) => visionPrice(includes.includes('pricing'), photos));
    await this.billing.reserve(call, Math.max(...prices));
    const id = this.idOf(call, request.bodyDigest);
    const entries: (KeptEntry | EntryAnswer)[] = [];
    for (const [position, entry] of request.entries.entries()) {
      entries.push(await this.keptForm(entry, entryName(id, position), call));
    }
    call.signal?.throwIfAborted();
    const job = { id, accountId, test, keyId, includes, baseUrl, entries };
    if (!(await this.jobs.add(job, OPEN_ENTRIES_MAX))) {
      throw tooManyEntries(await this.jobs.openEntries(call.caller));
    }
    // If the caller disconnects before the answer, nobody knows the id of the job, except through its Idempotency-Key.
    if (call.idempotencyKey === undefined) onceAborted(call.signal, () => this.jobs.cancel(id));
    return this.show(call.caller, id);
  }

  /** @throws AppError 404 for an unknown job, or another owner's */
  async show(owner: Owner, id: string): Promise<VisionJob> {
    const job = await this.jobs.find(owner, id);
    if (!job) throw notFound(`There is no job "${id}" of this account; it may have been deleted.`);
    return job;
  }

  /** The answers to entries of a job from one position to another (exclusive), as JSON; null if there was none yet. */
  async answers({ id, entries }: VisionJob, from: number, until: number) {
    const shown = entries.slice(from, until);
    if (shown.every(({ answerBytes }) => answerBytes === 0)) return shown.map(() => null);
    const answers = await this.jobs.answers(id, from, until);
    if (answers.length < shown.length) throw new Error(`the job ${id} is gone while it is read`);
    return shown.map(({ answerBytes }, at) => (answerBytes === 0 ? null : (answers[at] ?? null)));
  }

  /** Cancels the entries that have not begun (contract 16.6). @throws AppError 404 for an unknown job, or another owner's (contract 16.7) */
  async cancel(owner: Owner, id: string): Promise<VisionJob> {
    await this.show(owner, id);
    await this.jobs.cancel(id);
    return this.show(owner, id);
  }

  /** A repeated call makes the same job, even if its first process died before it could answer. */
  private idOf({ caller, idempotencyKey }: CallContext, bodyDigest: Buffer | undefined): string {
    if (idempotencyKey === undefined || !bodyDigest) return `job_${randomUUID()}`;
    const name = createHash('sha256').update(`${caller.accountId}\n${idempotencyKey}\n`).update(bodyDigest);
    return `job_${name.digest('base64url')}`;
  }

  private async keptForm(entry: SentEntry, name: string, call: CallContext) {
    try {
      const photos: KeptEntry['photos'][number][] = [];
      for (const photo of entry.photos) photos.push(await this.keptPhoto(photo, call));
      return { ...entry, photos };
    } catch (failure) {
      if (!(failure instanceof AppError) || ![400, 422].includes(failure.status)) throw failure;
      const answer = this.presenter.refusal(failure, name).body;
      return { state: 'failed' as const, predictionId: null, answer };
    }
  }

  private async keptPhoto(
    photo: ImageInput,
    { caller, signal }: CallContext,
  ): Promise<ImageAddress | KeptInput> {
    if (photo.kind === 'url') return photo;
    const { bytes, region } = photo;
    const options = { signal, region, account: caller.accountId };
    const { jpeg, digest } = await this.preparer.prepare(bytes, options).catch(failAt(photo));
    return { kind: 'prepared', image: { jpeg, digest } };
  }
}

function tooManyEntries(open: number): AppError {
  const message = `Live keys of an account may have ${OPEN_ENTRIES_MAX} unanswered entries, and so may its test keys.`;
  return rateLimited(message, {
    limit: OPEN_ENTRIES_MAX,
    remaining: OPEN_ENTRIES_MAX - open,
    resetSeconds: RETRY_AFTER_SECONDS,
  });
}

/** The request id of an entry, in its answer and in the ledger. */
export const entryName = (jobId: string, position: number): string => `${jobId}.${position}`;
