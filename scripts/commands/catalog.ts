import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { z } from 'zod';
import { TABLE_FORMATS } from '../../models/catalog/tables/columns';
import { counted } from '../../models/errors';
import type { CatalogStatus } from '../../models/indexing/status-service';
import { useAndClose } from '../../models/promises';
import { isAddress } from '../../workers/library/open-source';
import { withJobs, withStores } from '../composition/services';
import { readCommandConfig } from '../config';
import { type ImportResult, type Input, openInput } from '../import/import-bundle';
import { isTablePath, type TableImport } from '../import/tables/table-file';
import type { TablePreview } from '../import/tables/table-source';
import { asTable, pathOf, printAnswer, subcommand, wholeNumber } from './terminal';

/** `loupe catalog import` and `show` (contract 13). */
export function register(catalog: Command): void {
  importCommand(catalog).action(runImport);
  const shown = 'products and pictures by category and feed, and the pictures that could not be embedded';
  subcommand(catalog, 'show', shown)
    .option('--failures <count>', 'maximum number of failures to list', wholeNumber, 20)
    .action(async ({ failures, json }) => {
      const status = await withStores((services) => services.status.catalog(failures));
      printAnswer(json, status, () => describeCatalog(status));
    });
}

function describeCatalog({ pictures, groups, failures }: CatalogStatus): string {
  const more = pictures.failed - failures.length;
  return [
    asTable(
      ['', 'name', 'products', 'pictures embedded', 'waiting', 'failed'],
      groups.map((each) => [each.group, each.name, each.products, each.done, each.pending, each.failed]),
    ),
    `${counted(pictures.done, 'picture')} embedded, ${pictures.pending} waiting, ${pictures.failed} failed; the next import tries those again`,
    ...failures.map(({ image, reason }) => `not embedded: ${image}: ${reason}`),
    ...(more > 0 && failures.length > 0 ? [`not embedded: ${more} more`] : []),
  ].join('\n');
}

const importCommand = (catalog: Command) =>
  subcommand(
    catalog,
    'import <path>',
    'upsert a bundle (a folder of JSON Lines, or a .tar or .tar.gz of one), or a table or feed of a shop',
  )
    .option('--dry-run', 'check everything, change nothing; show how a table is understood')
    .option('--allow-rejects', 'exit 0 although records were rejected')
    .option('--report <file>', 'where rejects are written (default: DATA_DIR/reports)', pathOf)
    .option('--no-wait', 'leave embedding of new images to the service')
    .option('--refetch', 'fetch all pictures of the catalog again that are addresses')
    .addOption(new Option('--format <format>', 'of a table (default: by its columns)').choices(TABLE_FORMATS))
    .option('--map <file>', 'for a table: a JSON file that maps fields to columns')
    .option('--category <category>', 'for a table: the category of all products, by slug or name')
    .option('--currency <code>', 'for a table: the currency of prices without one')
    .option('--shop <url>', 'for a table: the shop, or its pages, such as https://shop.example/item/{SKU}')
    .option('--feed <name>', 'for a table: record that its products came from this feed')
    .option('--remove-missing', 'remove products that the feed no longer has, up to a fifth of it')
    .option('--force', 'remove more than a fifth, or all, of the feed');

type ImportFlags = ReturnType<ReturnType<typeof importCommand>['opts']>;

async function runImport(path: string, flags: ImportFlags): Promise<void> {
  const { json, dryRun = false, allowRejects, wait, refetch = false, report } = flags;
  if (refetch && (dryRun || !wait)) throw new InvalidArgumentError('--refetch embeds, and waits for it.');
  const table = tableOptions(path, flags);
  if (isAddress(path)) throw new Error('An address is not read; save its file, and import that.');
  const given = { bundle: resolve(path), ...(table && { table }) };
  if (!existsSync(path)) throw new Error(`There is no file or folder at ${given.bundle}.`);
  // Calls to this machine take priority; on an idle machine an import is as fast as ever.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const run = (input?: Input) =>
    withJobs(({ importCatalog }) =>
      importCatalog({ ...given, ...(input && { input }), dryRun, wait, refetch, ...(report && { report }) }),
    );
  // A server may be away, which an archive need not be unpacked to learn; the embedded database would be made in vain.
  const result = readCommandConfig().DATABASE_URL ? await run() : await useAndClose(openInput(given), run);
  const { accepted, rejected } = result;
  printAnswer(json, { accepted, rejected, report: result.report, ...result.table }, () => describe(result));
  const isRefused = result.table?.refused === true || (rejected > 0 && !allowRejects);
  if (isEmpty(result) || isRefused) process.exitCode = 1;
}

/** Null for a bundle. @throws Error for options that do not go together */
function tableOptions(path: string, options: ImportFlags): TableImport | null {
  const { format = null, map, category = null, currency, shop = null, feed = null } = options;
  const { removeMissing = false, force = false } = options;
  if (!isTablePath(path)) {
    const given = { format, map, category, currency, shop, feed, 'remove-missing': removeMissing, force };
    const [first] = Object.entries(given).filter(([, value]) => value);
    if (first) throw new InvalidArgumentError(`--${first[0]} is for tables: .csv, .tsv, .txt or .xml.`);
    return null;
  }
  if (removeMissing && !feed)
    throw new InvalidArgumentError('--remove-missing needs the --feed of which products may be missing.');
  if (currency !== undefined && !/^[a-z]{3}$/i.test(currency))
    throw new InvalidArgumentError('--currency is a code such as EUR.');
  for (const [option, name] of Object.entries({ feed, category }))
    if (name?.trim() === '') throw new InvalidArgumentError(`--${option} needs a name.`);
  if (shop !== null && !(/^https:\/\//i.test(shop) && URL.canParse(shop)))
    throw new InvalidArgumentError('--shop is an https:// address.');
  return {
    ...{ format, map: map === undefined ? {} : readMap(map), category },
    ...{ currency: currency?.toLowerCase() ?? null, shop, feed, removeMissing, force },
  };
}

const COLUMN_MAP = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()]));

function readMap(file: string): z.output<typeof COLUMN_MAP> {
  try {
    return COLUMN_MAP.parse(JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')));
  } catch (cause) {
    const isUnread = cause instanceof Error && 'syscall' in cause;
    const other = 'is no JSON object of fields and the names of their columns';
    throw new Error(`--map ${file} ${isUnread ? `cannot be read: ${cause.message}` : other}.`, { cause });
  }
}

const isEmpty = ({ accepted, rejected }: ImportResult): boolean => accepted + rejected === 0;

function describe(result: ImportResult): string {
  const { table, embedded, notEmbedded } = result;
  const preview = table?.preview ? `${describePreview(table.preview)}\n\n` : '';
  if (isEmpty(result)) return `${preview}nothing was imported: there is no record in it`;
  const lines = [
    table &&
      `${counted(table.products, 'product')}, ${table.removed} ${table.preview ? 'to be ' : ''}removed`,
    `${counted(result.accepted, 'record')} accepted (products, brands, prices, ...), ${result.rejected} rejected`,
    embedded > 0 && `${counted(embedded, 'image')} embedded`,
    notEmbedded > 0 && `${counted(notEmbedded, 'image')} could not be embedded; the next run tries again`,
    result.rejected > 0 && `the rejects are in ${result.report}`,
  ];
  return preview + lines.filter(Boolean).join('\n');
}

function describePreview({ columns, encoding, delimiter, records }: TablePreview): string {
  const rows = Object.entries({ ...columns.of, data: columns.data, '(not read)': columns.unread });
  const named = rows.filter(([, names]) => names.length > 0);
  const form = delimiter === null ? 'XML' : `delimiter ${JSON.stringify(delimiter)}`;
  return [
    `read as ${columns.format}, ${encoding}, ${form}`,
    asTable(['field', 'columns'], named),
    ...records.map((record) => JSON.stringify(record)),
  ].join('\n');
}
