import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { TABLE_FORMATS, type TableFormat } from '../../models/catalog/tables/columns';
import type { CatalogStatus } from '../../models/indexing/status-service';
import { withJobs, withStores } from '../composition/services';
import type { ImportResult } from '../import/import-bundle';
import { isTablePath, type TableImport } from '../import/tables/table-file';
import type { TablePreview } from '../import/tables/table-source';
import { asTable, printAnswer } from './output';
import { wholeNumber } from './whole-number';

interface ImportCommandOptions {
  readonly dryRun?: boolean;
  readonly allowRejects?: boolean;
  readonly report?: string;
  readonly wait: boolean;
  readonly json?: boolean;
  readonly format?: TableFormat;
  readonly map?: string;
  readonly category?: string;
  readonly currency?: string;
  readonly shop?: string;
  readonly feed?: string;
  readonly removeMissing?: boolean;
  readonly force?: boolean;
}

/** `loupe catalog import` and `show`: how a catalog gets in, and what is in it (contract 13). */
export function registerCatalog(catalog: Command): void {
  registerImport(catalog);
  catalog
    .command('show')
    .description('products and pictures by category and feed, and the pictures that could not be embedded')
    .option('--failures <count>', 'list up to so many of them', wholeNumber, 20)
    .option('--json', 'print JSON')
    .action(async ({ failures, json }: { readonly failures: number; readonly json?: boolean }) => {
      const status = await withStores((services) => services.status.catalog(failures));
      printAnswer(json, status, () => describeCatalog(status));
    });
}

function describeCatalog({ pictures, groups, failures }: CatalogStatus): string {
  const rows = groups.map((each) => [
    each.group,
    each.name,
    each.products,
    each.done,
    each.pending,
    each.failed,
  ]);
  const more = pictures.failed - failures.length;
  return [
    asTable(['', 'name', 'products', 'pictures embedded', 'waiting', 'failed'], rows),
    `${pictures.done} pictures embedded, ${pictures.pending} waiting, ${pictures.failed} failed; the next import tries those again`,
    ...failures.map(({ image, reason }) => `not embedded: ${image}: ${reason}`),
    ...(more > 0 && failures.length > 0 ? [`not embedded: ${more} more`] : []),
  ].join('\n');
}

function registerImport(catalog: Command): void {
  catalog
    .command('import <path>')
    .description(
      'upsert a bundle (a folder of JSON Lines, or a .tar or .tar.gz of one), or a table or feed of a shop',
    )
    .option('--dry-run', 'check everything, change nothing; of a table, show how it is understood')
    .option('--allow-rejects', 'exit 0 although records were rejected')
    .option('--report <file>', 'where rejects are written (default: DATA_DIR/reports)')
    .option('--no-wait', 'leave the embedding of new images to the service')
    .addOption(new Option('--format <format>', 'of a table (default: by its columns)').choices(TABLE_FORMATS))
    .option('--map <file>', 'of a table: JSON that says which columns mean what')
    .option('--category <category>', 'of a table: the category of all its products, by slug or name')
    .option('--currency <code>', 'of a table: the currency of prices that name none')
    .option('--shop <url>', 'of a table without links: the shop, with its products at /products/<handle>')
    .option('--feed <name>', 'of a table: remember that its products came from this feed')
    .option('--remove-missing', 'remove products that the feed no longer has, up to a fifth of it')
    .option('--force', 'remove more than a fifth')
    .option('--json', 'print JSON')
    .action(async (path: string, options: ImportCommandOptions) => {
      const result = await importInto(path, options);
      const { accepted, rejected, report, table } = result;
      printAnswer(options.json, { accepted, rejected, report, ...table }, () => describe(result));
      const isRefused = table?.refused === true || (rejected > 0 && !options.allowRejects);
      if (isEmpty(result) || isRefused) process.exitCode = 1;
    });
}

function importInto(path: string, options: ImportCommandOptions): Promise<ImportResult> {
  const table = tableOptions(path, options);
  // Who answers on the same machine comes first; on an idle one an import is as fast as ever.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const { dryRun = false, wait } = options;
  const report = options.report === undefined ? {} : { report: resolve(options.report) };
  return withJobs(({ importCatalog }) =>
    importCatalog({ bundle: resolve(path), ...(table && { table }), dryRun, wait, ...report }),
  );
}

/** Null of a bundle. @throws Error for options that do not go together */
function tableOptions(path: string, options: ImportCommandOptions): TableImport | null {
  const { format, map, category, currency, shop, feed, removeMissing = false, force = false } = options;
  const given = { format, map, category, currency, shop, feed };
  const [first] = Object.entries({ ...given, 'remove-missing': removeMissing || undefined }).filter(
    ([, value]) => value,
  );
  if (!isTablePath(path)) {
    if (first) throw new Error(`--${first[0]} is for tables: .csv, .tsv, .txt or .xml.`);
    return null;
  }
  if (removeMissing && !feed)
    throw new Error('--remove-missing needs the --feed of which products may be missing.');
  if (currency !== undefined && !/^[a-z]{3}$/i.test(currency))
    throw new Error('--currency is a code such as EUR.');
  if (shop !== undefined && !/^https:\/\//.test(shop)) throw new Error('--shop is an https:// address.');
  return {
    format: format ?? null,
    map: map === undefined ? {} : readMap(map),
    category: category ?? null,
    currency: currency?.toLowerCase() ?? null,
    shop: shop ?? null,
    feed: feed ?? null,
    removeMissing,
    force,
  };
}

const COLUMN_MAP = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()]));

function readMap(file: string): z.output<typeof COLUMN_MAP> {
  try {
    return COLUMN_MAP.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`--map ${file} is no JSON object of fields and the names of their columns.`, { cause });
  }
}

const isEmpty = ({ accepted, rejected }: ImportResult): boolean => accepted + rejected === 0;

function describe(result: ImportResult): string {
  const { table } = result;
  const preview = table?.preview ? `${describePreview(table.preview)}\n\n` : '';
  if (isEmpty(result)) return `${preview}nothing was imported: there is no record in it`;
  const lines = [`${result.accepted} accepted, ${result.rejected} rejected`];
  if (table) lines.unshift(`${table.products} products, ${table.removed} removed`);
  if (result.embedded > 0) lines.push(`${result.embedded} images embedded`);
  if (result.notEmbedded > 0)
    lines.push(`${result.notEmbedded} images could not be embedded; the next run tries again`);
  if (result.rejected > 0) lines.push(`the rejects are in ${result.report}`);
  return preview + lines.join('\n');
}

function describePreview({ columns, encoding, delimiter, records }: TablePreview): string {
  const rows = [...columns.of, ['data', columns.data] as const, ['(not read)', columns.unread] as const];
  const form = delimiter === null ? 'XML' : `delimiter ${JSON.stringify(delimiter)}`;
  return [
    `read as ${columns.format}, ${encoding}, ${form}`,
    asTable(
      ['field', 'columns'],
      rows.filter(([, names]) => names.length > 0),
    ),
    ...records.map((record) => JSON.stringify(record)),
  ].join('\n');
}
