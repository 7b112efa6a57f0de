import { tmpdir } from 'node:os';
import { importRecords } from '../../models/catalog/import/import-service';
import { RecordPictures, type StoreFile } from '../../models/catalog/import/record-pictures';
import type { StoredPictures } from '../../models/catalog/stored-pictures';
import { AppError } from '../../models/errors';
import type { CatalogImportStore, Clock, ImageStore, Progress, StoredImageIndex } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { Bundle } from './bundle';
import { type EmbeddedImages, embedNewImages, type NewImagePorts, NOT_EMBEDDED } from './embed-new-images';
import { RejectReport } from './reject-report';
import { type OpenTable, openTable, type TableImport } from './tables/table-file';
import { type TableOutcome, type TablePreview, TableSource } from './tables/table-source';

export interface ImportOptions {
  /** A folder, or a tar archive of one, gzipped or not; with `table` a shop's table. */
  readonly bundle: string;
  readonly table?: TableImport;
  /** If it is open already. */
  readonly input?: Input;
  /** Changes nothing (contract 13.7). */
  readonly dryRun: boolean;
  /** Where the rejects are written, replacing what was there. */
  readonly report: string;
  readonly wait: boolean;
  /** Fetches also the pictures again that are embedded, as they may have been replaced. */
  readonly refetch?: boolean;
  /** Target duration of a transaction, during which the embedded database answers nobody else. Default 500 ms. */
  readonly transactionMs?: number;
  /** A larger image is rejected. Default 20 MiB. */
  readonly imageBytesMax?: number;
}

export type Input = Bundle | OpenTable;

export interface BundleImportPorts {
  /** Opens the catalog for changes, or for those of a dry run. @throws Error when another import is alive, unless in a dry run */
  readonly openImport: (dryRun: boolean) => Promise<CatalogImportStore>;
  readonly images: ImageStore;
  readonly pictures: StoredPictures;
  readonly storedImages: StoredImageIndex;
  readonly embedding: NewImagePorts;
  readonly clock: Clock;
}

export interface ImportResult extends EmbeddedImages {
  readonly accepted: number;
  readonly rejected: number;
  readonly report: string;
  /** For a table; in a dry run with a preview of how its columns were understood (contract 13.22). */
  readonly table?: TableOutcome & { readonly preview?: TablePreview };
}

const IMAGE_BYTES_MAX = 20 * 1024 * 1024;
const TRANSACTION_MS = 500;

/** What an import reads. @throws Error when it can't be read */
export const openInput = ({ bundle, table }: Pick<ImportOptions, 'bundle' | 'table'>): Promise<Input> =>
  table ? openTable(bundle, table) : Bundle.open(bundle, tmpdir());

/** Imports a bundle or a table (contract 13), and has its new images embedded. @throws Error when it can't be read, or another import is alive */
export async function importBundle(
  options: ImportOptions,
  ports: BundleImportPorts,
  progress: Progress,
): Promise<ImportResult> {
  return useAndClose(options.input ?? openInput(options), async (input) => {
    const store = await ports.openImport(options.dryRun);
    const counts = await importInto(store, input, options, ports, progress).finally(() => store.close());
    const isEmbedding = options.wait && !options.dryRun;
    const images = isEmbedding
      ? await embedNewImages(ports.embedding, progress, options.refetch)
      : NOT_EMBEDDED;
    return { ...counts, ...images, report: options.report };
  });
}

async function importInto(
  store: CatalogImportStore,
  input: Input,
  { dryRun, report, imageBytesMax = IMAGE_BYTES_MAX, transactionMs = TRANSACTION_MS }: ImportOptions,
  { images, pictures: stored, storedImages, clock }: BundleImportPorts,
  progress: Progress,
): Promise<Pick<ImportResult, 'accepted' | 'rejected' | 'table'>> {
  const rejects = await RejectReport.create(report);
  try {
    const source = await sourceOf(input, store, rejects, { now: clock.now(), progress });
    const storeFile = fileStorer(input, stored, { imageBytesMax, dryRun });
    const leaveOut = source instanceof TableSource ? source.leaveOutPicture(rejects) : null;
    const pictures = new RecordPictures({ images, index: storedImages, storeFile, dryRun, leaveOut });
    const accepted = await importRecords({
      ...{ source, store, pictures, rejects, progress, clock, transactionMs },
    });
    const counts = { accepted, rejected: rejects.count };
    await store.finish(counts);
    if (!(source instanceof TableSource)) return counts;
    const table = await source.finish();
    for (const note of table.notes) progress.note(note);
    return { ...counts, table: { ...table, ...(dryRun && { preview: source.preview() }) } };
  } catch (failure) {
    // Part of it may have been written.
    await store.finish({ failed: String(failure) }).catch(() => undefined);
    throw failure;
  } finally {
    await rejects.close();
  }
}

async function sourceOf(
  input: Input,
  store: CatalogImportStore,
  rejects: RejectReport,
  { now, progress }: { readonly now: Date; readonly progress: Progress },
) {
  if (input instanceof Bundle) {
    for (const warning of input.warnings) progress.note(`warning: ${warning}`);
    for (const { file, field, reason } of input.faults) rejects.add(file, 0, field, reason);
    return input.source(now);
  }
  const { feed } = input.options;
  const run = feed === null ? null : await store.openFeed(feed);
  const source = await TableSource.open(input, store, run, now, progress);
  rejects.onReject = source.onReject;
  return source;
}

/** Stores pictures of a bundle; in a dry run they are only read and decoded. */
const fileStorer =
  (
    { files }: Input,
    pictures: StoredPictures,
    { imageBytesMax, dryRun }: { readonly imageBytesMax: number; readonly dryRun: boolean },
  ): StoreFile =>
  async (path, needsThumbnail) => {
    const bytes = await files.read(path, imageBytesMax).catch((fault: Error) => fault.message);
    if (typeof bytes === 'string') return bytes;
    try {
      const stored = await pictures.take(bytes, { needsThumbnail, dryRun });
      return stored ?? { address: path, thumbnail: path };
    } catch (failure) {
      if (failure instanceof AppError && failure.code === 'unprocessable') return failure.message;
      throw failure;
    }
  };
