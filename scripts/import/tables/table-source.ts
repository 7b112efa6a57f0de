import { extname } from 'node:path';
import { isPath } from '../../../models/catalog/import/record-pictures';
import type { ReadRecords, RecordKind } from '../../../models/catalog/import/records';
import type { Reject } from '../../../models/catalog/import/stage';
import type { TableColumns } from '../../../models/catalog/tables/columns';
import { productId } from '../../../models/catalog/tables/ids';
import { ProductRows } from '../../../models/catalog/tables/product-rows';
import { TableRows } from '../../../models/catalog/tables/table-rows';
import { counted } from '../../../models/errors';
import type { FeedRun, Progress, ReadLine, RecordFile, RecordSource } from '../../../models/ports';
import { type Parse, parsedLine, recordParsers } from '../parse-record';
import type { RejectReport } from '../reject-report';
import { NonConsecutiveKeys, type ProductGroup, productGroups } from './product-groups';
import type { OpenTable } from './table-file';
import { TableTaxonomy, type TaxonomyStore } from './table-taxonomy';

export interface TableOutcome {
  readonly products: number;
  readonly removed: number;
  /** Remarks about many rows; one of `refused` is a requested removal that was not made. */
  readonly notes: readonly string[];
  readonly refused: boolean;
}

export interface TablePreview extends Pick<OpenTable, 'encoding' | 'delimiter'> {
  readonly columns: Omit<TableColumns, 'of'> & { readonly of: Readonly<Record<string, readonly string[]>> };
  readonly records: readonly object[];
}

type Lines<Kind extends RecordKind> = readonly ReadLine<ReadRecords[Kind]>[];
type OnBytes = (bytes: number) => void;
/** `no picture yet` is none. */
const isFile = (picture: string): boolean => isPath(picture) && extname(picture) !== '';
const IDS_AT_ONCE = 1_000;
const GUARDED_SHARE = 1 / 5;
const PREVIEWED = 3;
const NO_FILES =
  'none of the picture files that the table names is in its folder: put them there or, to import without them, give --map a file with {"images": null}';
const HIDDEN = 'left out: draft, archived or unpublished';
const NO_URL = 'with an http:// link, which is left out as url (https only) and kept for prices';
const REPEATED = 'left out: the same as another row of the product in every cell';
const UNREACHABLE =
  'without the pictures that begin with http:// (https only), with / (give --shop to complete them), or with C:\\ or ../ (give paths below the folder of the table)';

/** A shop's table as the records of a bundle (contract 13.20, 13.21), read product by product three times, or four if rows are apart. */
export class TableSource implements RecordSource {
  readonly #parsers: ReturnType<typeof recordParsers>;
  readonly #rows: ProductRows;
  readonly #nonConsecutive = new NonConsecutiveKeys();
  readonly #rejected = new Set<number>();
  /** How often each was made, and where first. */
  readonly #remarks = new Map<string, { noun: string; text: string; line: number; count: number }>();
  readonly #notes: string[] = [];
  readonly #previewed: object[] = [];
  #isWhole = true;
  /** Whether any picture that the table names is beside it; null if it names none. */
  #hasFiles: boolean | null = null;
  #products = 0;
  #removed = 0;
  #refused = false;

  private constructor(
    private readonly table: OpenTable,
    private readonly taxonomy: TableTaxonomy,
    private readonly feed: FeedRun | null,
    private readonly now: Date,
  ) {
    this.#parsers = recordParsers(now);
    this.#rows = new ProductRows(new TableRows(table.columns, table.options.shop), table.options, taxonomy);
  }

  static async open(
    table: OpenTable,
    store: TaxonomyStore,
    feed: FeedRun | null,
    now: Date,
    progress: Progress,
  ): Promise<TableSource> {
    const source = new TableSource(table, await TableTaxonomy.of(store, table.columns), feed, now);
    progress.begin('read, bytes', table.bytes);
    await source.#readTaxonomy((bytes) => progress.reach(bytes));
    progress.end();
    return source;
  }

  async #readTaxonomy(onBytes: OnBytes): Promise<void> {
    if (this.table.columns.of.has('variations') || this.table.columns.of.has('sold')) {
      for await (const some of this.table.rows(onBytes))
        for (const row of some) if ('cells' in row) this.#rows.table.list(row);
    }
    const { feed, removeMissing, force } = this.table.options;
    const known = removeMissing && !force ? this.feed?.known : 0;
    // Null while the file has no product.
    let isSameFeed: boolean | null = null;
    for await (const some of this.#groups(onBytes, () => false)) {
      const ids = some.flatMap((found) => ('rows' in found ? [productId(found.key)] : []));
      if (known && !isSameFeed && ids.length > 0) isSameFeed = (await this.feed?.hasAny(ids)) ?? null;
      for (const found of some) {
        if ('lost' in found) this.#isWhole &&= !found.lost;
        else {
          for (const row of found.rows) this.#rows.prices.readDates(row);
          await this.#findFile(found);
          this.#nonConsecutive.add(found.key);
          this.#addNamed(found);
        }
      }
    }
    if (known && isSameFeed === false)
      throw new Error(
        `None of the ${known} products of the feed "${feed}" is in the file, and nothing was changed: have the columns that tell products apart other names (see --dry-run without --feed)? If that is right, run it again with --force.`,
      );
    // A part of a product does not tell its category.
    if (this.#nonConsecutive.close()) {
      this.taxonomy.clear();
      for await (const some of this.#groups(onBytes)) {
        for (const found of some) if ('rows' in found) this.#addNamed(found);
      }
    }
    await this.taxonomy.match();
  }

  #addNamed({ rows }: ProductGroup): void {
    if (this.#rows.isOffered(rows) && this.#rows.isDescribed(rows))
      this.taxonomy.add(this.#rows.named(rows), rows[0]?.line ?? 0);
  }

  async #findFile({ rows }: ProductGroup): Promise<void> {
    if (this.#hasFiles) return;
    const isThere = (path: string) => this.table.files.read(path, Infinity).then(Boolean, () => false);
    for (const path of rows.flatMap((row) => this.#rows.table.pictures(row, 'images')).filter(isFile))
      this.#hasFiles ||= await isThere(path);
  }

  /** A picture that can't be used costs its product only if none is there: the folder is likely not in its place. */
  leaveOutPicture(report: RejectReport): Reject | null {
    if (this.#hasFiles === false) return null;
    return (line, field, reason) => {
      report.note(this.table.name, line, field, reason);
      this.#remark('picture', `left out: see ${report.path} for why`, line);
    };
  }

  /** To be called for each rejected line: a rejected product has no prices. */
  readonly onReject = (line: number): void => void this.#rejected.add(line);

  async file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null> {
    const { name, bytes, columns } = this.table;
    const reads: { readonly [Each in RecordKind]?: (onBytes: OnBytes) => AsyncIterable<Lines<Each>> } = {
      categories: () => this.taxonomy.categories(this.#parsers.categories),
      entities: () => this.taxonomy.entities(this.#parsers.entities),
      products: (onBytes) => this.#readProducts(onBytes),
      ...(columns.of.has('price') && { listings: (onBytes) => this.#readListings(onBytes) }),
    };
    const read = reads[kind];
    if (!read) return null;
    return {
      name,
      bytes: kind === 'products' || kind === 'listings' ? bytes : 0,
      async *read() {
        let bytesRead = 0;
        const lines = read((count) => {
          bytesRead = count;
        });
        for await (const some of lines) yield { lines: some, bytesRead };
      },
    };
  }

  async finish(): Promise<TableOutcome> {
    const { removeMissing } = this.table.options;
    // Also those that another feed still has, and loses later.
    if (removeMissing && !this.#refused) await this.feed?.forgetMissing();
    const notes = [...this.#notes];
    for (const { noun, text, line, count } of this.#remarks.values())
      notes.push(`${counted(count, noun)} ${text} (${count > 1 ? 'first: ' : ''}line ${line})`);
    const { dateNote } = this.#rows.prices;
    if (dateNote !== null) notes.push(dateNote);
    if (this.#hasFiles === false) notes.push(NO_FILES);
    const { of } = this.table.columns;
    const wanted = [['title', 'model', 'style'], ['price'], ['images']] as const;
    const unknown = wanted.flatMap((fields) => (fields.some((each) => of.has(each)) ? [] : fields[0]));
    if (this.#products > 0 && unknown.length > 0)
      notes.push(
        `no column is read as ${unknown.join(', ')}: --dry-run shows all columns, --map names those that are not recognised`,
      );
    return { products: this.#products, removed: this.#removed, notes, refused: this.#refused };
  }

  preview(): TablePreview {
    const { columns, encoding, delimiter } = this.table;
    const of = Object.fromEntries(columns.of);
    return { columns: { ...columns, of }, encoding, delimiter, records: this.#previewed };
  }

  #groups(onBytes: OnBytes, isNonConsecutive = (key: string) => this.#nonConsecutive.has(key)) {
    return productGroups(this.table.rows(onBytes), this.#rows.table, isNonConsecutive);
  }

  async *#readProducts(onBytes: OnBytes): AsyncGenerator<Lines<'products'>> {
    let ids: string[] = [];
    for await (const some of this.#groups(onBytes)) {
      yield some.flatMap((found): Lines<'products'> => ('rows' in found ? this.#product(found) : [found]));
      // Also rejected ones: they are in the feed.
      for (const found of some) {
        const isGone = 'rows' in found && !this.#rows.isOffered(found.rows);
        if (found.key !== undefined && !isGone) ids.push(productId(found.key));
      }
      if (ids.length < IDS_AT_ONCE) continue;
      await this.feed?.note(ids);
      ids = [];
    }
    await this.feed?.note(ids);
    if (this.table.options.removeMissing) yield* this.#removals();
  }

  #product({ key, rows }: ProductGroup): Lines<'products'> {
    if (!this.#rows.isOffered(rows)) {
      this.#remark('product', this.#rows.isSold(rows) ? 'left out: sold' : HIDDEN, rows[0]?.line ?? 0);
      return [];
    }
    this.#products += 1;
    const { value, faults, repeated, pictureless, isPageLeftOut } = this.#rows.product(key, rows);
    if (isPageLeftOut) this.#remark('product', NO_URL, rows[0]?.line ?? 0);
    for (const line of repeated) this.#remark('row', REPEATED, line);
    for (const line of pictureless) this.#remark('row', UNREACHABLE, line);
    if (this.#previewed.length < PREVIEWED) this.#previewed.push(value);
    return [lineOf(rows[0]?.line ?? 0, value, this.#parsers.products), ...faults];
  }

  async *#readListings(onBytes: OnBytes): AsyncGenerator<Lines<'listings'>> {
    for await (const some of this.#groups(onBytes)) {
      yield some.flatMap((found) => ('rows' in found ? this.#listings(found) : []));
    }
  }

  #listings({ key, rows }: ProductGroup): Lines<'listings'> {
    if (!this.#rows.isOffered(rows) || this.#rejected.has(rows[0]?.line ?? 0)) return [];
    const date = this.now.toISOString().slice(0, 10);
    return this.#rows.prices.of(key, rows, date).flatMap((price): Lines<'listings'> => {
      if ('reason' in price) return [price];
      if ('remark' in price) {
        this.#remark('price', price.remark, price.line);
        return [];
      }
      const { line, listing } = price;
      const { feed } = this.table.options;
      if (listing.price === null) return [{ line, bytes: listing.link.length, record: { ...listing, feed } }];
      const { variant_id: variant, ...sold } = listing;
      const read = lineOf(line, { variant, ...sold }, this.#parsers.listings);
      return ['reason' in read ? read : { ...read, record: { ...read.record, feed } }];
    });
  }

  #remark(noun: string, text: string, line: number): void {
    const remark = this.#remarks.get(`${noun} ${text}`) ?? { noun, text, line, count: 0 };
    remark.count += 1;
    remark.line = Math.min(remark.line, line);
    this.#remarks.set(`${noun} ${text}`, remark);
  }

  /** The products that are no longer in the feed (contract 13.23). */
  async *#removals(): AsyncGenerator<Lines<'products'>> {
    const { feed } = this;
    if (!feed) return;
    const why = await this.#reasonToKeep(feed);
    if (why !== null) {
      this.#refused = true;
      this.#notes.push(`no product was removed: ${why}`);
      return;
    }
    for (let after = ''; ; ) {
      const ids = await feed.missing(after, IDS_AT_ONCE);
      if (ids.length === 0) return;
      this.#removed += ids.length;
      yield ids.map((id) => ({ line: 0, bytes: id.length, record: { id, deleted: true } }));
      after = ids.at(-1) ?? '';
    }
  }

  async #reasonToKeep(feed: FeedRun): Promise<string | null> {
    if (!this.#isWhole)
      return 'rows of the file could not be read (see the rejects), so what is missing from it cannot be told';
    const missing = await feed.missingCount();
    if (missing <= feed.known * GUARDED_SHARE || this.table.options.force) return null;
    return `${missing} of ${feed.known} products of this feed are not in the file, more than a fifth; if that is right, run it again with --force`;
  }
}

const lineOf = <Record>(line: number, value: object, parse: Parse<Record>): ReadLine<Record> =>
  parsedLine({ line, bytes: JSON.stringify(value).length, record: value }, parse);
