import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withJobs } from '../composition/services';
import type { ImportResult } from '../import/import-bundle';
import { printAnswer } from './output';

interface ImportCommandOptions {
  readonly dryRun?: boolean;
  readonly allowRejects?: boolean;
  readonly report?: string;
  readonly wait: boolean;
  readonly json?: boolean;
}

/** `loupe catalog import`: how a catalog gets in (contract 13). */
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
      if (isEmpty(result) || (result.rejected > 0 && !options.allowRejects)) process.exitCode = 1;
    });
}

function importInto(bundle: string, options: ImportCommandOptions): Promise<ImportResult> {
  // Who answers on the same machine comes first; on an idle one an import is as fast as ever.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const { dryRun = false, wait } = options;
  const report = options.report === undefined ? {} : { report: resolve(options.report) };
  return withJobs(({ importCatalog }) => importCatalog({ bundle: resolve(bundle), dryRun, wait, ...report }));
}

const isEmpty = ({ accepted, rejected }: ImportResult): boolean => accepted + rejected === 0;

function describe(result: ImportResult): string {
  if (isEmpty(result)) return 'nothing was imported: the files of this bundle hold no record';
  const lines = [`${result.accepted} accepted, ${result.rejected} rejected`];
  if (result.embedded > 0) lines.push(`${result.embedded} images embedded`);
  if (result.notEmbedded > 0)
    lines.push(`${result.notEmbedded} images could not be embedded; the next run tries again`);
  if (result.rejected > 0) lines.push(`the rejects are in ${result.report}`);
  return lines.join('\n');
}
