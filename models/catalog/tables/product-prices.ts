import type { ShopListing } from '../import/records';
import { says } from './columns';
import { plainText } from './plain-text';
import { currencyIn, isNoAmount, readPrice, regionOf } from './prices';
import type { ProductVariants } from './product-variants';
import type { RowFault, Rows, TableRow, TableRows } from './table-rows';

/** A price of a table: a listing, which may have none, a fault, or a remark that is not a fault of its row. */
export type TablePrice =
  | RowFault
  | { readonly line: number; readonly listing: Omit<ShopListing, 'feed'> }
  | { readonly line: number; readonly remark: string };

const NO_CURRENCY = 'left out: no currency is named; give it with --currency';
const NOT_A_CURRENCY = 'left out: the currency column holds something else; name another with --map';
const NO_PAGE =
  'left out: the page of the product is not known; give --shop, if need be with columns of the table';
const NO_AMOUNT = 'left out: 0, words or a range instead of an amount';
const MARKETS = 'markets are priced in usd, gbp and eur';
const DATE = /^(\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])/;
const SHORT_DATE = /^(\d\d?)([./])(\d\d?)\2(?:20)?(\d\d)(?!\d)/;

export class ProductPrices {
  /** Dates with slashes; the line if nothing in the table shows which number is the day. */
  #dates: { readonly isDayFirst: boolean; readonly guessedIn: number | null } | null = null;

  /** @param currency of prices without one */
  constructor(
    private readonly table: TableRows,
    private readonly variants: ProductVariants,
    private readonly currency: string | null,
  ) {}

  /** To be called for all rows first: in a date with slashes a number above 12 shows which one is the day. */
  readDates(row: TableRow): void {
    for (const field of ['sale_start', 'sale_end'] as const) {
      const [, one, other] = /^(\d\d?)\/(\d\d?)\//.exec(this.table.one(row, field) ?? '')?.map(Number) ?? [];
      if (one === undefined || other === undefined) continue;
      if (one > 12 || other > 12) this.#dates = { isDayFirst: one > 12, guessedIn: null };
      this.#dates ??= { isDayFirst: this.#isEuropean(row), guessedIn: row.line };
    }
  }

  /** How dates are read of which nothing shows which number is the day; null if there are none. */
  get dateNote(): string | null {
    const { guessedIn = null, isDayFirst } = this.#dates ?? {};
    if (guessedIn === null) return null;
    const order = isDayFirst ? 'day/month' : 'month/day';
    return `sale dates such as 2/3/26 are read as ${order}: no date of the table shows which (first: line ${guessedIn})`;
  }

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
      const usual = this.#currencyOf(row);
      const price = text === undefined ? null : readPrice(text, columns.format !== 'generic', usual);
      if (!price && text !== undefined) return [{ line, field: 'price', reason: `"${text}" is no price` }];
      const currency = price?.currency ?? usual;
      const link = this.table.linkIn([row]) ?? page;
      const region = currency === null ? null : regionOf(currency);
      const isUnknown = price !== null && currency === null;
      const remark =
        (!price && prices.length > 0 && NO_AMOUNT) ||
        (isUnknown && (this.table.one(row, 'currency') === null ? NO_CURRENCY : NOT_A_CURRENCY)) ||
        (price && link === null && NO_PAGE) ||
        (price && region === null && `left out: in ${currency?.toUpperCase()}; ${MARKETS}`);
      const remarks = remark ? [{ line, remark }] : [];
      // An option that was forgotten must not remove the prices of an earlier day.
      if (link === null || isUnknown) return remarks;
      const variant_name = [title, ...options].join(' ').trim();
      const vendor = URL.canParse(link) ? new URL(link).hostname : '';
      const amount = region === null ? null : (price?.amount ?? null);
      const sold = { region, link, variant_name, vendor, price: amount, currency: currency ?? '', date };
      return [...remarks, { line, listing: { variant_id: value.id, ...sold } }];
    });
  }

  #currencyOf(row: TableRow): string | null {
    const named = this.table.one(row, 'currency');
    if (named === null) return this.table.columns.currency ?? this.currency;
    return currencyIn(named) ?? (/^[a-z]{3}$/i.test(named) ? named.toLowerCase() : null);
  }

  /** Magento writes dates in American English unless it is set up otherwise. */
  #isEuropean(row: TableRow): boolean {
    const currency = currencyIn(this.table.one(row, 'price') ?? '') ?? this.#currencyOf(row);
    return this.table.columns.format !== 'magento' && currency !== 'usd';
  }

  /** A day as `2026-02-28`; undefined for what is no date. */
  #dayOf(time: string): string | undefined {
    const [, one = '', sign, other = '', year] = SHORT_DATE.exec(time) ?? [];
    const isDayFirst = sign === '.' || (Number(other) <= 12 && (Number(one) > 12 || this.#dates?.isDayFirst));
    const [day, month] = isDayFirst ? [one, other] : [other, one];
    if (year) return `20${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    // As a spreadsheet counts days.
    if (/^\d{5}$/.test(time))
      return new Date((Number(time) - 25_569) * 86_400_000).toISOString().slice(0, 10);
    return DATE.exec(time.trim())?.slice(1).join('-');
  }

  /** The price that counts today before others that may stand in for it. */
  #pricesOf(row: TableRow, date: string): string[] {
    const [start, end] = [this.table.one(row, 'sale_start') ?? '', this.table.one(row, 'sale_end') ?? ''];
    // Either `2026-02-01T13:00-0800/20260228` or two cells; a side that is no date is open.
    const sides = this.table.one(row, 'sale_dates')?.split('/') ?? [start, end];
    const [first = date, last = date] = sides.map((side) => this.#dayOf(side));
    const isOn = first <= date && date <= last && !says(this.table.one(row, 'on_sale'), 'no');
    const sale = isOn ? this.table.one(row, 'sale_price') : null;
    return [sale, this.table.one(row, 'price')].filter((text) => text !== null);
  }
}
