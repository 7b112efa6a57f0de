import type { ReadRecords, RecordKind } from '../../../models/catalog/import/records';
import type { TableColumns } from '../../../models/catalog/tables/columns';
import { productId } from '../../../models/catalog/tables/ids';
import { ProductRows } from '../../../models/catalog/tables/product-rows';
import { TableRows } from '../../../models/catalog/tables/table-rows';
import type { FeedRun, Progress, ReadLine, RecordFile, RecordSource } from '../../../models/ports';
import { type Parse, parsedLine, recordParsers } from '../parse-record';
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
const IDS_AT_ONCE = 1_000;
const GUARDED_SHARE = 1 / 5;
const PREVIEWED = 3;

/** A shop's table as the records of a bundle (contract 13.20, 13.21), read product by product three times, or four if rows are apart. */
export class TableSource implements RecordSource {
  readonly #parsers: ReturnType<typeof recordParsers>;
  readonly #rows: ProductRows;
  readonly #nonConsecutive = new NonConsecutiveKeys();
  readonly #rejected = new Set<number>();
  /** How often each was made, and where first. */
  readonly #remarks = new Map<string, { readonly line: number; count: number }>();
  readonly #notes: string[] = [];
  readonly #previewed: object[] = [];
  #isWhole = true;
  #products = 0;
  #hidden = 0;
  #pagesLeftOut = 0;
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
    if (this.table.columns.of.has('variations')) {
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
    if (this.#removed > 0) await this.feed?.forgetMissing();
    const notes = [...this.#notes];
    if (this.#hidden > 0)
      notes.push(`${counted(this.#hidden, 'product')} left out: draft, archived or unpublished`);
    if (this.#pagesLeftOut > 0) {
      const which = `${counted(this.#pagesLeftOut, 'product')} ${this.#pagesLeftOut === 1 ? 'has' : 'have'}`;
      notes.push(`${which} an http:// link, which is left out as url (https only) and kept for prices`);
    }
    for (const [remark, { count, line }] of this.#remarks)
      notes.push(`${counted(count, 'price')} ${remark} (${count > 1 ? 'first: ' : ''}line ${line})`);
    const { of } = this.table.columns;
    const unknown = (['title', 'price', 'images'] as const).filter((field) => !of.has(field));
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
        if ('rows' in found && this.#rows.isOffered(found.rows)) ids.push(productId(found.key));
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
      this.#hidden += 1;
      return [];
    }
    this.#products += 1;
    const { value, faults, isPageLeftOut } = this.#rows.product(key, rows);
    if (isPageLeftOut) this.#pagesLeftOut += 1;
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
      if ('value' in price) return [lineOf(price.line, price.value, this.#parsers.listings)];
      if ('reason' in price) return [price];
      const remark = this.#remarks.get(price.remark) ?? { line: price.line, count: 0 };
      remark.count += 1;
      this.#remarks.set(price.remark, remark);
      return [];
    });
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

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
