import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { CopyBuffer } from './copy-buffer';
import { copyBuffer } from './copy-rows';
import type { LoadParts } from './load-parts';
import { MarkTally } from './mark-tally';
import { picturesOf, writeProductImages } from './product-images';
import { productRow, type Surroundings } from './project-rows';
import type { ProductRecord } from './records';
import { SOURCE_TABLES } from './source-tables';
import type { Vocabulary } from './vocabulary';
import { CATALOG_ROWS } from './write-rows';
import type { WrittenTable } from './written-table';

const { deleted, ...productColumns } = SOURCE_TABLES.products.columns;
const { max_estimate, ...rowColumns } = CATALOG_ROWS.columns;
/** What a new product does not have is left to the table. */
const NEW_PRODUCTS: WrittenTable = { ...SOURCE_TABLES.products, columns: productColumns };
const NEW_ROWS: WrittenTable = { ...CATALOG_ROWS, columns: rowColumns };

/** Products to be added at once, with all that follows from them. */
export class ProductLoad implements LoadParts<ProductRecord> {
  private readonly products = new CopyBuffer(NEW_PRODUCTS);
  private readonly variants = new CopyBuffer(SOURCE_TABLES.variants);
  private readonly rows = new CopyBuffer(NEW_ROWS);
  private readonly marks = new MarkTally();
  private readonly pictures: { readonly id: string; readonly addresses: readonly string[] }[] = [];

  private around: Surroundings | null = null;

  /** @param aroundOf reads what the rows of products are derived from */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly aroundOf: (products: readonly ProductRecord[]) => Promise<Surroundings>,
  ) {}

  get bytes(): number {
    return this.products.bytes + this.variants.bytes + this.rows.bytes;
  }

  async prepare(products: readonly ProductRecord[]): Promise<void> {
    this.around = await this.aroundOf(products);
  }

  add(product: ProductRecord): void {
    if (!this.around) throw new Error(`${product.id} was not prepared`);
    const { id, variants } = product;
    this.products.add(product);
    for (const [position, variant] of variants.entries()) {
      const { fields, popularity, images, thumbnails } = variant;
      this.variants.add({ id: variant.id, product_id: id, position, fields, popularity, images, thumbnails });
    }
    const row = productRow(product, this.around);
    this.rows.add(row);
    this.marks.add(row);
    const addresses = picturesOf(product);
    if (addresses.length > 0) this.pictures.push({ id, addresses });
  }

  async copy(trx: Knex): Promise<readonly number[]> {
    await copyBuffer(trx, this.products);
    await copyBuffer(trx, this.variants);
    await copyBuffer(trx, this.rows);
    return [];
  }

  async finish(trx: Knex): Promise<void> {
    await this.vocabulary.learnWords(trx, this.marks.words());
    await this.marks.write(trx);
    await writeProductImages(trx, this.pictures);
  }
}

/** Whether there is any product, or ever was. */
export async function hasProducts(knex: Knex): Promise<boolean> {
  const rows = await rowsOf(knex, sql`SELECT FROM products LIMIT 1`);
  return rows.length > 0;
}

/** Whether none of these products is there, or ever was. */
export async function areNewProducts(knex: Knex, ids: readonly string[]): Promise<boolean> {
  const [first] = await rowsOf(
    knex,
    sql`SELECT FROM unnest(${ids}::text[]) AS given (id)
        WHERE EXISTS (SELECT FROM products WHERE products.id = given.id OFFSET 0) LIMIT 1`,
  );
  return first === undefined;
}
