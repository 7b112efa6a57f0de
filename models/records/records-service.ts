import { inject, injectable } from 'tsyringe';
import type { CallContext } from '../access/billing';
import { writeRecords } from '../catalog/import/import-service';
import { RecordPictures } from '../catalog/import/record-pictures';
import { type Fault, placeText, reasonText } from '../catalog/import/stage';
import { notFound } from '../errors';
import type { Coverage } from '../indexing/embedding-version';
import { NewPictures } from '../indexing/new-pictures';
import type * as ports from '../ports';
import { NO_PROGRESS, PORTS } from '../ports';

export const RECORDS_MAX = 1_000;
/** Target duration of a transaction: other writers wait for it, and readers of the embedded database. */
const TRANSACTION_MS = 500;
const STALE_BATCH = 500;

export interface LineOutcome {
  readonly line: number;
  readonly id: string | null;
  readonly fault: Fault | null;
}

/** Pictures under the live version, and the first of those that failed. */
interface PictureStatus {
  readonly pictures: Coverage;
  readonly failures: readonly ports.FailedImage[];
}

export interface RecordStatus extends PictureStatus {
  readonly searchable: boolean;
}

const FAILURES_TOLD = 20;
const NO_PICTURES: PictureStatus = { pictures: { done: 0, pending: 0, failed: 0 }, failures: [] };

/** Writes callers' records to the catalog, one by one (contract 15). */
@injectable()
export class RecordsService {
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    @inject(PORTS.RecordBodies) private readonly bodies: ports.RecordBodies,
    @inject(PORTS.CatalogRecords) private readonly records: ports.CatalogRecords,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(NewPictures) private readonly pictures: NewPictures,
    @inject(PORTS.ImageStore) private readonly images: ports.ImageStore,
    @inject(PORTS.StoredImageIndex) private readonly storedImages: ports.StoredImageIndex,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  /** Writes the records of a body; each is then stored, or has a fault. @throws AppError 400 without a line, 413 with too many */
  write(call: CallContext, body: Uint8Array): Promise<readonly LineOutcome[]> {
    return this.#alone(call, async () => {
      const { lines, source } = await this.bodies.read(body, this.clock.now());
      const rejects = new CollectedRejects();
      await this.#apply(call, null, source, rejects);
      const outcomes = lines.map((each) => ({ ...each, fault: rejects.faults.get(each.line) ?? null }));
      this.pictures.add(
        outcomes.flatMap(({ id, fault }) => (!fault && id?.startsWith('product_') ? [id] : [])),
      );
      return outcomes;
    });
  }

  /** @throws AppError 404 when there is no product or entity with this id */
  remove(call: CallContext, id: string): Promise<void> {
    return this.#alone(call, async () => {
      const { kind } = await this.#find(id);
      if (kind === 'categories') throw noRecord(id);
      const line = JSON.stringify({ [kind]: { id, deleted: true } });
      const { source } = await this.bodies.read(Buffer.from(line), this.clock.now());
      await this.#apply(call, id, source, new CollectedRejects());
    });
  }

  /** @throws AppError 404 as `read` does */
  async status(id: string): Promise<RecordStatus> {
    const { searchable } = await this.#find(id);
    const live = await this.embeddings.live();
    if (!live) return { searchable, ...NO_PICTURES };
    const pictures = await this.embeddings.coverage(live.id, id);
    return { searchable, pictures, failures: await this.#failures(live.id, pictures, { product: id }) };
  }

  /** @throws AppError 404 when no live product came from a feed of this name */
  async feedStatus(feed: string): Promise<PictureStatus & { readonly products: number }> {
    const live = await this.embeddings.live();
    const [found] = live ? await this.embeddings.coverageByGroup(live.id, feed) : [];
    if (!live || !found) throw notFound(`No product came from a feed "${feed}".`);
    const { products, done, pending, failed } = found;
    const pictures = { done, pending, failed };
    return { products, pictures, failures: await this.#failures(live.id, pictures, { feed }) };
  }

  async #failures(
    versionId: number,
    { failed }: Coverage,
    of: ports.PicturesOf,
  ): Promise<readonly ports.FailedImage[]> {
    return failed === 0 ? [] : await this.embeddings.failures(versionId, FAILURES_TOLD, of);
  }

  /** Derives rows left stale by earlier changes, in steps, until `signal` ends it. */
  async followUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.records.deriveStaleRows(STALE_BATCH)) > 0);
  }

  /** A record as it was last written. @throws AppError 404 when there is none with this id, or when it is deleted */
  async read(id: string): Promise<ports.ReadRecord> {
    const found = await this.records.read(id);
    if (!found) throw noRecord(id);
    return found;
  }

  async #find(id: string): Promise<ports.FoundRecord> {
    const found = await this.records.find(id);
    if (!found) throw noRecord(id);
    return found;
  }

  /** Writes, with an entry in the audit log from the first change on (contract 15.8). */
  async #apply(
    { caller: { accountId, keyId } }: CallContext,
    subject: string | null,
    source: ports.RecordSource,
    rejects: CollectedRejects,
  ): Promise<void> {
    const action = subject === null ? 'records write' : 'records delete';
    const store = this.records.open({ actor: `key ${keyId}`, action, accountId, subject, details: {} });
    try {
      const accepted = await writeRecords({
        source,
        store,
        pictures: new RecordPictures({ images: this.images, index: this.storedImages, storeFile: null }),
        rejects,
        progress: NO_PROGRESS,
        clock: this.clock,
        transactionMs: TRANSACTION_MS,
      });
      await store.finish({ accepted, rejected: rejects.count });
    } catch (failure) {
      // Part of it may be stored.
      await store.finish({ failed: String(failure) }).catch(() => undefined);
      throw failure;
    }
  }

  /**
   * One call after the other: in parallel they would still wait for each other's transactions, with all their records in
   * memory and each with a connection that readers need. A caller that disconnects meanwhile changes nothing.
   */
  #alone<Result>({ signal }: CallContext, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last
      .catch(() => undefined)
      .then(() => {
        signal?.throwIfAborted();
        return work();
      });
    this.#last = turn;
    return turn;
  }
}

class CollectedRejects implements ports.RejectLog {
  readonly faults = new Map<number, Fault>();

  get count(): number {
    return this.faults.size;
  }

  add(_file: string, line: number, field: string, reason: string): void {
    if (!this.faults.has(line))
      this.faults.set(line, { field: placeText(field), reason: reasonText(reason) });
  }

  async settle(): Promise<void> {}
}

const noRecord = (id: string) => notFound(`There is no record "${id}".`);
