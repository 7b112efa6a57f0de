import { tmpdir } from 'node:os';
import type { ImportTarget } from '../../../db/catalog-import/import-target';
import type { Clock, ImagePreparer, ImageStore } from '../../../models/ports';
import { BatchSize } from './batch-size';
import { Bundle } from './bundle';
import { type EmbeddedImages, type EmbeddingPorts, embedNewImages } from './embed-new-images';
import type { ImportContext } from './import-context';
import { importEntities } from './import-entities';
import type { ImportProgress } from './import-progress';
import { PictureIntake } from './picture-intake';
import { estimatesStage, historyStage, listingsStage } from './price-stages';
import { productsStage } from './products-stage';
import { RejectReport } from './reject-report';
import { runStage } from './run-stage';
import { categoriesStage, tagsStage } from './taxonomy-stages';

export interface ImportOptions {
  /** A folder, or a tar archive of one, gzipped or not. */
  readonly bundle: string;
  /** Checks everything and changes nothing. */
  readonly dryRun: boolean;
  /** Where the rejects are written; what was there is replaced. */
  readonly report: string;
  /** Whether to stay until the new images are embedded. */
  readonly wait: boolean;
  /**
   * About how long a transaction is to take. Default 500 ms: the embedded database answers nobody else meanwhile. A
   * server does, and has less work with fewer of them.
   */
  readonly transactionMs?: number;
  /** A larger image is a reject. Default 20 MiB. */
  readonly imageBytesMax?: number;
  /** Where an archive is unpacked. Default the system's. */
  readonly temporaryFolder?: string;
}

export interface ImportPorts {
  /** Opens the catalog for changes, or for those of a dry run. @throws ImportRunningError */
  readonly openTarget: (dryRun: boolean) => Promise<ImportTarget>;
  readonly images: ImageStore;
  readonly preparer: ImagePreparer;
  readonly embedding: EmbeddingPorts;
  readonly clock: Clock;
}

/** Counts of an import: records accepted, lines and files rejected, images embedded for the live version. */
export interface ImportResult extends EmbeddedImages {
  readonly accepted: number;
  readonly rejected: number;
  readonly report: string;
}

const IMAGE_BYTES_MAX = 20 * 1024 * 1024;
const TRANSACTION_MS = 500;
/** After fewer records the tables are as they were before. */
const RECORDS_WORTH_TIDYING = 1_000;

/**
 * Imports a catalog bundle (catalog-bundle.md): an upsert by id, in short transactions, each of which takes records,
 * and all that follows from them, from one whole state to the next. Every step may be repeated, so an import that
 * was killed is finished by starting it again.
 *
 * @throws BundleError when there is no bundle that can be read
 * @throws ImportRunningError when another import is alive
 */
export async function importBundle(
  options: ImportOptions,
  ports: ImportPorts,
  progress: ImportProgress,
): Promise<ImportResult> {
  const bundle = await Bundle.open(options.bundle, options.temporaryFolder ?? tmpdir());
  try {
    const target = await ports.openTarget(options.dryRun);
    const counts = await importInto(target, bundle, options, ports, progress).finally(() => target.close());
    const isEmbedding = options.wait && !options.dryRun;
    const images = isEmbedding ? await embedNewImages(ports.embedding, progress) : NOT_EMBEDDED;
    return { ...counts, ...images, report: options.report };
  } finally {
    await bundle.close();
  }
}

const NOT_EMBEDDED: EmbeddedImages = { embedded: 0, notEmbedded: 0 };

async function importInto(
  target: ImportTarget,
  bundle: Bundle,
  options: ImportOptions,
  ports: ImportPorts,
  progress: ImportProgress,
): Promise<{ accepted: number; rejected: number }> {
  const report = await RejectReport.create(options.report);
  try {
    for (const warning of bundle.warnings) progress.note(`warning: ${warning}`);
    for (const { file, field, reason } of bundle.faults) report.add(file, 0, field, reason);
    const pictures = new PictureIntake(
      bundle,
      { store: ports.images, preparer: ports.preparer, target },
      { imageBytesMax: options.imageBytesMax ?? IMAGE_BYTES_MAX, dryRun: options.dryRun },
    );
    const categories = new Set(await target.categoryIds());
    const tags = new Set(await target.tagIds());
    const transactionMs = options.transactionMs ?? TRANSACTION_MS;
    const context = { bundle, target, pictures, report, progress, categories, tags, transactionMs };
    const accepted = await importFiles(context, ports.clock.now());
    await projectStaleRows(context);
    const tidy = async () => {
      if (accepted >= RECORDS_WORTH_TIDYING) await target.tidy();
    };
    if (target.lanes > 1) await Promise.all([tidy(), target.refreshSearch()]);
    else await tidy().then(() => target.refreshSearch());
    return { accepted, rejected: report.count };
  } finally {
    await report.close();
  }
}

/** In the order of the specification's page: each file names what stands in those before it. */
async function importFiles(context: ImportContext, now: Date): Promise<number> {
  // Also those that an import left which was killed.
  await makeIndexes(context);
  let accepted = await runStage(context, categoriesStage(context));
  accepted += await runStage(context, tagsStage(context));
  accepted += await importEntities(context);
  // Rows above products are cheap to derive before a first load's products are there, and dear afterwards.
  await projectStaleRows(context);
  accepted += await runStage(context, productsStage(context)).finally(() => makeIndexes(context));
  accepted += await runStage(context, estimatesStage(context, now));
  accepted += await runStage(context, historyStage(context));
  return accepted + (await runStage(context, listingsStage(context)));
}

/** What searches need of indexes; large first loads of products go without. */
async function makeIndexes({ target, progress }: ImportContext): Promise<void> {
  const total = await target.missingIndexes();
  if (total === 0) return;
  progress.begin('indexes of search', total);
  let made = 0;
  await target.makeIndexes(() => {
    made += 1;
    progress.reach(made);
  });
  progress.end();
}

/** Also those that an import left which was killed. */
async function projectStaleRows({ target, progress, transactionMs }: ImportContext): Promise<void> {
  const total = await target.staleRows();
  if (total === 0) return;
  progress.begin('rows that follow', total);
  const size = new BatchSize(transactionMs);
  for (let done = 0; ; ) {
    const startedAt = performance.now();
    const count = await target.projectStaleRows(size.records);
    if (count === 0) break;
    size.learn(count, performance.now() - startedAt);
    done += count;
    progress.reach(Math.min(done, total));
  }
  progress.end();
}
