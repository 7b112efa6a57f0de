import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { openTarget } from '../../db/catalog-import/open-target';
import {
  type Clock,
  type EmbeddingRepository,
  type ImagePreparer,
  type ImageStore,
  type IndexQueue,
  PORTS,
} from '../../models/ports';
import { generateBundle } from '../catalog/generate/generate-bundle';
import { type ImportResult, importBundle } from '../catalog/import/import-bundle';
import { withProgress } from '../catalog/import/import-progress';
import { type Config, readConfig } from '../config';
import { buildContainer, type Loupe } from '../container';
import { printAnswer } from './output';
import { wholeNumber } from './whole-number';

interface ImportCommandOptions {
  readonly dryRun?: boolean;
  readonly allowRejects?: boolean;
  readonly report?: string;
  readonly wait: boolean;
  readonly json?: boolean;
}

interface GenerateOptions {
  readonly products: number;
  readonly seed: number;
  readonly out: string;
  readonly images?: boolean;
  readonly json?: boolean;
}

/** `loupe catalog import | generate`: how a catalog gets in (catalog-bundle.md). */
export function registerCatalog(catalog: Command): void {
  catalog
    .command('import <bundle>')
    .description('upsert a bundle: a folder of JSON Lines, or a .tar or .tar.gz of one')
    .option('--dry-run', 'check everything, change nothing')
    .option('--allow-rejects', 'exit 0 although records were rejected')
    .option('--report <file>', 'where rejects are written (default: DATA_DIR/reports)')
    .option('--no-wait', 'leave the embedding of new images to the service')
    .option('--json', 'print JSON')
    .action(async (bundle: string, options: ImportCommandOptions) => {
      const result = await importInto(bundle, options);
      printAnswer(
        options.json,
        { accepted: result.accepted, rejected: result.rejected, report: result.report },
        () => describe(result),
      );
      if (result.rejected > 0 && !options.allowRejects) process.exitCode = 1;
    });
  catalog
    .command('generate')
    .description('make a synthetic bundle of fictional maisons, the same for the same seed')
    .requiredOption('--products <products>', 'how many products', wholeNumber)
    .requiredOption('--seed <seed>', 'any whole number', wholeNumber)
    .requiredOption('--out <folder>', 'where to write it')
    .option('--images', 'draw a picture of each product')
    .option('--json', 'print JSON')
    .action(async (options: GenerateOptions) => {
      const summary = await withProgress(process.stderr, async (progress) => {
        progress.begin('products', options.products);
        const generated = await generateBundle({
          products: options.products,
          seed: options.seed,
          out: resolve(options.out),
          images: options.images ?? false,
          onProgress: (done) => progress.reach(done),
        });
        progress.end();
        return generated;
      });
      printAnswer(options.json, { out: resolve(options.out), ...summary }, () =>
        Object.entries(summary)
          .map(([what, count]) => `${count} ${what}`)
          .join(', '),
      );
    });
}

async function importInto(bundle: string, options: ImportCommandOptions): Promise<ImportResult> {
  // Who answers on the same machine comes first; on an idle one an import is as fast as ever.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  // The asking side of the queues is enough: with Redis the workers embed, without it this process does.
  const config: Config = { ...readConfig(), ROLE: 'api', LOG_LEVEL: 'warn' };
  const loupe = await buildContainer(config);
  try {
    return await importCatalog(loupe, {
      bundle: resolve(bundle),
      dryRun: options.dryRun ?? false,
      wait: options.wait,
      ...(options.report === undefined ? {} : { report: resolve(options.report) }),
    });
  } finally {
    await loupe.close();
  }
}

/** Others are answered beside a transaction, and it is far shorter than what a lock takes for a death. */
const SERVER_TRANSACTION_MS = 4_000;
/** A server works on two transactions at the same time. */
const SERVER_LANES = 2;

/** Imports a bundle into what a process has opened; progress goes to stderr. */
export function importCatalog(
  { config, container, database }: Loupe,
  options: { bundle: string; dryRun: boolean; wait: boolean; report?: string },
): Promise<ImportResult> {
  const clock = container.resolve<Clock>(PORTS.Clock);
  const stamp = clock.now().toISOString().replace(/[:.]/g, '-');
  const importOptions = {
    report: join(config.DATA_DIR, 'reports', `import-${stamp}.txt`),
    ...options,
    imageBytesMax: config.IMAGE_BYTES_MAX,
    ...(database.kind === 'postgres' ? { transactionMs: SERVER_TRANSACTION_MS } : {}),
  };
  const ports = {
    openTarget: (dryRun: boolean) =>
      openTarget(database.knex, dryRun, database.kind === 'postgres' ? SERVER_LANES : 1),
    images: container.resolve<ImageStore>(PORTS.ImageStore),
    preparer: container.resolve<ImagePreparer>(PORTS.ImagePreparer),
    embedding: {
      embeddings: container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository),
      queue: container.resolve<IndexQueue>(PORTS.IndexQueue),
    },
    clock,
  };
  return withProgress(process.stderr, (progress) => importBundle(importOptions, ports, progress));
}

function describe(result: ImportResult): string {
  const lines = [`${result.accepted} accepted, ${result.rejected} rejected`];
  if (result.embedded > 0) lines.push(`${result.embedded} images embedded`);
  if (result.notEmbedded > 0)
    lines.push(`${result.notEmbedded} images could not be embedded; the next run tries again`);
  if (result.rejected > 0) lines.push(`the rejects are in ${result.report}`);
  return lines.join('\n');
}
