import { plainText } from './plain-text';
import { readPrice, regionOf } from './prices';
import type { ProductVariants } from './product-variants';
import type { RowFault, Rows, TableRow, TableRows } from './table-rows';

/** A price of a table: a listing in bundle form, a fault, or none, with a remark that is not a fault of its row. */
export type TablePrice =
  | RowFault
  | { readonly line: number; readonly value: object }
  | { readonly line: number; readonly remark: string };

const NO_CURRENCY = 'left out: no currency is named; give it with --currency';
const NO_PAGE =
  'left out: the page of the product is not known; give --shop, if need be with columns of the table';
const NO_AMOUNT = 'left out: 0, or words instead of an amount';
const MARKETS = 'markets are priced in usd, gbp and eur';
const DATE = /^(\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])/;
const GERMAN_DATE = /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?:20)?(?<year>\d\d)(?!\d)/;
/** As Magento writes in American English. */
const AMERICAN_DATE = /^(?<month>0?[1-9]|1[0-2])\/(?<day>\d\d?)\/(?<year>\d\d)(?!\d)/;

export class ProductPrices {
  /** @param currency of prices without one */
  constructor(
    private readonly table: TableRows,
    private readonly variants: ProductVariants,
    private readonly currency: string | null,
  ) {}

  /** Its prices as listings in bundle form. @param date today's, `YYYY-MM-DD` */
  of(key: string, rows: Rows, date: string): readonly TablePrice[] {
    const { columns } = this.table;
    const title = plainText(this.table.first(rows, 'title') ?? '');
    const page = this.table.pageOf(key, rows);
    return this.variants.of(key, rows).variants.flatMap(({ row, options, value }): TablePrice[] => {
      const { line } = row;
      // A variant without a price of its own has that of its product.
      const own = this.table.isVariant(row)
        ? rows.slice(0, 1).filter((each) => !this.table.isVariant(each))
        : [];
      const prices = [row, ...own].flatMap((each) => this.#pricesOf(each, date));
      const text = prices.find((each) => !isNoAmount(each));
      const price = text === undefined ? null : readPrice(text, columns.format !== 'generic');
      if (!price && text !== undefined) return [{ line, field: 'price', reason: `"${text}" is no price` }];
      const named = this.table.one(row, 'currency')?.toLowerCase() ?? columns.currency;
      const currency = price?.currency ?? named ?? this.currency;
      const link = this.table.linkIn([row]) ?? page;
      const region = currency === null ? null : regionOf(currency);
      const remarks = !price && prices.length > 0 ? [{ line, remark: NO_AMOUNT }] : [];
      if (!price && (link === null || region === null)) return remarks;
      if (currency === null) return [{ line, remark: NO_CURRENCY }];
      if (link === null) return [{ line, remark: NO_PAGE }];
      if (region === null) return [{ line, remark: `left out: in ${currency.toUpperCase()}; ${MARKETS}` }];
      const variant_name = [title, ...options].join(' ').trim();
      const vendor = URL.canParse(link) ? new URL(link).hostname : '';
      // Without a price too: the listing of an earlier day is not to keep its price.
      const amount = price?.amount ?? null;
      const sold = { region, link, variant_name, vendor, price: amount, currency, date };
      return [...remarks, { line, value: { variant: value.id, ...sold } }];
    });
  }

  /** The price that counts today before others that may stand in for it. */
  #pricesOf(row: TableRow, date: string): string[] {
    const [start, end] = [this.table.one(row, 'sale_start') ?? '', this.table.one(row, 'sale_end') ?? ''];
    // Either `2026-02-01T13:00-0800/20260228` or two cells; a side that is no date is open.
    const sides = this.table.one(row, 'sale_dates')?.split('/') ?? [start, end];
    const [first = date, last = date] = sides.map(dayOf);
    const sale = first <= date && date <= last ? this.table.one(row, 'sale_price') : null;
    return [sale, this.table.one(row, 'price')].filter((text) => text !== null);
  }
}

/** 0, with or without a currency, is how systems write that there is no price. */
const isNoAmount = (text: string): boolean => !/[1-9]/.test(text);

/** A day as `2026-02-28`; undefined for what is no date. */
function dayOf(time: string): string | undefined {
  const { year, month = '', day = '' } = (GERMAN_DATE.exec(time) ?? AMERICAN_DATE.exec(time))?.groups ?? {};
  if (year) return `20${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return DATE.exec(time.trim())?.slice(1).join('-');
}
