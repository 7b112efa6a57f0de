import type { ReadRecords, RecordKind } from '../../../models/catalog/import/records';
import type { TableColumns } from '../../../models/catalog/tables/columns';
import { ProductRows, productId, type TableOptions } from '../../../models/catalog/tables/product-rows';
import type { FeedRun, Progress, ReadLine, RecordFile, RecordSource, RejectLog } from '../../../models/ports';
import { type Parsed, type RecordParsers, recordParsers } from '../parse-record';
import { type GroupFault, type ProductGroup, productGroups, Scattered } from './product-groups';
import type { TableFile } from './table-file';
import { TableTaxonomy, type TaxonomyStore } from './table-taxonomy';

/** What `--feed` and its fellows ask for. */
export interface FeedWish {
  readonly run: FeedRun;
  readonly removeMissing: boolean;
  /** Removes more than a fifth of the feed too. */
  readonly force: boolean;
}

/** What is told of a table besides the counts of its records. */
export interface TableOutcome {
  readonly products: number;
  /** Products that the feed no longer has. */
  readonly removed: number;
  /** Said once of many rows; with `refused` a removal that was asked for and not done. */
  readonly notes: readonly string[];
  readonly refused: boolean;
}

type Lines<Kind extends RecordKind> = readonly ReadLine<ReadRecords[Kind]>[];
const IDS_AT_ONCE = 1_000;
const GUARDED_SHARE = 1 / 5;

/**
 * A shop's table as the records of a bundle (contract 13.20): categories and entities that its columns name, a product for
 * the rows of each key, and its prices as listings. The table is read three times, product by product.
 */
export class TableSource implements RecordSource {
  readonly #parsers: RecordParsers;
  readonly #rejected = new Set<number>();
  readonly #unpriced = new Map<string, number>();
  readonly #notes: string[] = [];
  #products = 0;
  #hidden = 0;
  #removed = 0;
  #refused = false;

  private constructor(
    private readonly table: TableFile,
    private readonly rows: ProductRows,
    private readonly taxonomy: TableTaxonomy,
    private readonly scattered: Scattered,
    private readonly isWhole: boolean,
    private readonly hasPrices: boolean,
    private readonly feed: FeedWish | null,
    private readonly now: Date,
  ) {
    this.#parsers = recordParsers(now);
  }

  /** Reads the table once, for what its products name. */
  static async open(
    table: TableFile,
    columns: TableColumns,
    options: TableOptions,
    store: TaxonomyStore,
    feed: FeedWish | null,
    now: Date,
    progress: Progress,
  ): Promise<TableSource> {
    const taxonomy = await TableTaxonomy.of(store, columns);
    const rows = new ProductRows(columns, options, taxonomy.find, taxonomy.idOf);
    const scattered = new Scattered();
    let isWhole = true;
    progress.begin('read, bytes', table.bytes);
    for await (const some of productGroups(
      table.rows((bytes) => progress.reach(bytes)),
      (row) => rows.keyOf(row),
      () => false,
    )) {
      for (const found of some) {
        if (!('rows' in found)) isWhole &&= !found.lost;
        else {
          scattered.add(found.key);
          if (rows.isOffered(found.rows) && rows.isDescribed(found.rows))
            taxonomy.add(rows.named(found.rows), found.rows[0]?.line ?? 0);
        }
      }
    }
    progress.end();
    await taxonomy.match();
    return new TableSource(table, rows, taxonomy, scattered, isWhole, columns.of.has('price'), feed, now);
  }

  /** Rejects that leave out the prices of the products that they are about. */
  noting(log: RejectLog): RejectLog {
    const rejected = this.#rejected;
    return {
      get count() {
        return log.count;
      },
      add(file, line, ...rest) {
        rejected.add(line);
        log.add(file, line, ...rest);
      },
      settle: () => log.settle(),
    };
  }

  async file<Kind extends RecordKind>(kind: Kind): Promise<RecordFile<ReadRecords[Kind]> | null> {
    const files: { readonly [Each in RecordKind]?: () => RecordFile<ReadRecords[Each]> } = {
      categories: () => this.#file(() => this.taxonomy.categories(this.#parsers.categories), 0),
      entities: () => this.#file(() => this.taxonomy.entities(this.#parsers.entities), 0),
      products: () => this.#file((onBytes) => this.#readProducts(onBytes)),
      ...(this.hasPrices && { listings: () => this.#file((onBytes) => this.#readListings(onBytes)) }),
    };
    return files[kind]?.() ?? null;
  }

  /** Once the import is done. */
  async finish(): Promise<TableOutcome> {
    if (this.feed && this.#removed > 0) await this.feed.run.forgetMissing();
    const notes = [...this.#notes];
    if (this.#hidden > 0)
      notes.push(`${this.#hidden} products are drafts, archived or unpublished, and were left out`);
    for (const [why, count] of this.#unpriced)
      notes.push(`${count} prices were left out: ${unpricedText(why)}`);
    return { products: this.#products, removed: this.#removed, notes, refused: this.#refused };
  }

  /** The first products, in the form of a bundle's records. */
  async preview(count: number): Promise<readonly object[]> {
    const values: object[] = [];
    for await (const some of this.#groups(() => undefined)) {
      for (const found of some) {
        if ('rows' in found && this.rows.isOffered(found.rows))
          values.push(this.rows.product(found.key, found.rows).value);
      }
      if (values.length >= count) break;
    }
    return values.slice(0, count);
  }

  #groups(onBytes: (bytes: number) => void): AsyncGenerator<readonly (ProductGroup | GroupFault)[]> {
    return productGroups(
      this.table.rows(onBytes),
      (row) => this.rows.keyOf(row),
      (key) => this.scattered.has(key),
    );
  }

  async *#readProducts(onBytes: (bytes: number) => void): AsyncGenerator<Lines<'products'>> {
    let ids: string[] = [];
    for await (const some of this.#groups(onBytes)) {
      const lines = some.flatMap(
        (found): Lines<'products'> => ('rows' in found ? this.#product(found) : [found]),
      );
      // Rejected ones too: the feed has them.
      for (const found of some) {
        if ('rows' in found && this.rows.isOffered(found.rows)) ids.push(productId(found.key));
      }
      yield lines;
      if (ids.length < IDS_AT_ONCE) continue;
      await this.feed?.run.note(ids);
      ids = [];
    }
    await this.feed?.run.note(ids);
    yield* this.#removals();
  }

  #product({ key, rows }: ProductGroup): Lines<'products'> {
    if (!this.rows.isOffered(rows)) {
      this.#hidden += 1;
      return [];
    }
    this.#products += 1;
    const { value, faults } = this.rows.product(key, rows);
    return [lineOf(rows[0]?.line ?? 0, value, this.#parsers.products), ...faults];
  }

  async *#readListings(onBytes: (bytes: number) => void): AsyncGenerator<Lines<'listings'>> {
    const date = this.now.toISOString().slice(0, 10);
    for await (const some of this.#groups(onBytes)) {
      yield some.flatMap((found) => ('rows' in found ? this.#listings(found, date) : []));
    }
  }

  #listings({ key, rows }: ProductGroup, date: string): Lines<'listings'> {
    if (!this.rows.isOffered(rows) || this.#rejected.has(rows[0]?.line ?? 0)) return [];
    return this.rows.listings(key, rows, date).flatMap((price): Lines<'listings'> => {
      if ('value' in price) return [lineOf(price.line, price.value, this.#parsers.listings)];
      if ('reason' in price) return [price];
      this.#unpriced.set(price.unpriced, (this.#unpriced.get(price.unpriced) ?? 0) + 1);
      return [];
    });
  }

  /** The products that the feed no longer has (contract 13.23). */
  async *#removals(): AsyncGenerator<Lines<'products'>> {
    if (!this.feed?.removeMissing) return;
    const { run, force } = this.feed;
    const missing = await run.missingCount();
    const { known } = run;
    const why = this.isWhole
      ? missing > known * GUARDED_SHARE && !force
        ? `${missing} of ${known} products of this feed are not in the file, more than a fifth; if that is right, run it again with --force`
        : null
      : 'rows of the file could not be read (see the rejects), so what is missing from it can not be told';
    if (why !== null) {
      this.#refused = true;
      this.#notes.push(`no product was removed: ${why}`);
      return;
    }
    for (let after = ''; ; ) {
      const ids = await run.missing(after, IDS_AT_ONCE);
      if (ids.length === 0) return;
      this.#removed += ids.length;
      yield ids.map((id) => ({ line: 0, bytes: id.length, record: { id, deleted: true } }));
      after = ids.at(-1) ?? '';
    }
  }

  #file<Record>(
    read: (onBytes: (bytes: number) => void) => AsyncIterable<readonly ReadLine<Record>[]>,
    bytes = this.table.bytes,
  ): RecordFile<Record> {
    return {
      name: this.table.name,
      bytes,
      async *read() {
        let bytesRead = 0;
        const lines = read((bytes) => {
          bytesRead = bytes;
        });
        for await (const some of lines) yield { lines: some, bytesRead };
      },
    };
  }
}

function lineOf<Record>(
  line: number,
  value: object,
  parse: (value: unknown) => Parsed<Record>,
): ReadLine<Record> {
  const parsed = parse(value);
  return 'reason' in parsed ? { line, ...parsed } : { line, bytes: JSON.stringify(value).length, ...parsed };
}

function unpricedText(why: string): string {
  if (why === 'no currency') return 'they name no currency; give it with --currency';
  if (why === 'no page')
    return 'a listing needs the page of its product; give the address of the shop with --shop';
  return `in ${why.replace('currency ', '').toUpperCase()}; markets are priced in usd, gbp and eur`;
}
