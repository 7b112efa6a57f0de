import type { Rows, TableRow, TableRows } from './table-rows';

/** A column in the address of pages. */
const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Addresses of pages and pictures. */
export class ProductLinks {
  /** @param shop as in `TableOptions` */
  constructor(
    private readonly table: TableRows,
    private readonly shop: string | null,
  ) {}

  /** Null for a relative link of a shop that is not known. */
  linkIn(rows: Rows): string | null {
    const link = this.#addressOf(this.table.first(rows, 'url'));
    return link?.startsWith('/') && this.shop === null ? null : link;
  }

  /** The link of a product or, without one, the page that its shop gives it. */
  pageOf(key: string, rows: Rows): string | null {
    const link = this.linkIn(rows);
    const { shop } = this;
    if (link !== null || shop === null) return link;
    const page = shop.includes('{') ? shop : shop.replace(/\/+$/, '') + this.table.columns.page;
    let isWhole = true;
    const filled = page.replace(PLACEHOLDER, (_, name: string) => {
      const value = name === 'key' ? key : rows.flatMap((row) => row.cells.get(name) ?? [])[0];
      isWhole &&= value !== undefined;
      return encodeURIComponent(value ?? '');
    });
    return isWhole ? filled : null;
  }

  pictures(row: TableRow, field: 'images' | 'variant_image'): string[] {
    return this.table
      .all([row], field)
      .flatMap((text) => text.split(/[|;\n]+|,\s+|,(?=https?:\/\/|\/\/)/))
      .map((each) => this.#addressOf(each.trim()) ?? '')
      .filter((each) => each !== '');
  }

  /** Of an address without its scheme or, if the shop is known, without its host. */
  #addressOf(text: string | null): string | null {
    const whole = text?.replace(/^(?:\/\/|(?=www\.))/i, 'https://') ?? null;
    const { shop } = this;
    if (!whole?.startsWith('/') || shop === null || !URL.canParse(whole, shop)) return whole;
    return new URL(whole, shop).href;
  }
}
