import { addTo } from '../../multimap';
import { storedImageOf } from '../import/record-pictures';
import { fieldOf, KEY_FIELDS, SYSTEMS, type TableColumns, type TableField } from './columns';
import dictionary from './columns.json';

/** A row of a table: the line on which it begins, and its non-blank cells by column, in order. */
export interface TableRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, readonly string[]>;
}

export type Rows = readonly TableRow[];

export interface RowFault {
  readonly line: number;
  readonly field: string;
  readonly reason: string;
}

export type ReadRow = TableRow | RowFault;

/** A pair in `size=S,color=Red`, `"Size: S","Colour: Red"`, `[Size=S|Colour=Red]`, `[S]Size=S`; and in `Type=Radio|Name=Size|Value=S`. */
const PAIR = /(?:^|[[\],|"])\s*([^[\],|"=:]+)[=:]([^\],|"]*)/g;
const NAMED_PAIR = /Name=([^|]*)\|Value=(.*?)(?:\[[^\]]*\])?[,;|\s]*(?=Type=|$)/g;
/** A column in the address of pages. */
export const PLACEHOLDER = /\{([^{}]*)\}/g;
const NONE: readonly string[] = [];
/** Cells that say that there is nothing, and errors of a spreadsheet such as `#REF!`. */
const NOTHING: ReadonlySet<string> = new Set(dictionary.words.nothing);
const isGiven = (text: string): boolean => text.length > 10 || !NOTHING.has(text.toLowerCase());

/** What rows say: the values of their fields, the product or variant that they are of, and addresses of pages and pictures. */
export class TableRows {
  /** By the SKU of a variant that the row of its product lists: the key of that product. */
  readonly #listed = new Map<string, string | null>();
  /** The highest number in the column of sold pieces; NaN unless each row has one. */
  soldMax = 0;
  readonly #attributes = new WeakMap<TableRow, Map<TableField | undefined, string[]>>();

  /** @param shop as in `TableOptions` */
  constructor(
    readonly columns: TableColumns,
    private readonly shop: string | null,
  ) {}

  all(rows: Rows, field: TableField): string[] {
    const columns = this.columns.of.get(field) ?? NONE;
    return rows.flatMap((row) => {
      const found = columns.flatMap((column) => row.cells.get(column) ?? []).filter(isGiven);
      return found.length > 0 ? found : this.#attributesOf(row, field);
    });
  }

  one(row: TableRow, field: TableField): string | null {
    for (const column of this.columns.of.get(field) ?? NONE) {
      const value = row.cells.get(column)?.[0];
      if (value !== undefined && isGiven(value)) return value;
    }
    return this.#attributesOf(row, field)[0] ?? null;
  }

  first(rows: Rows, field: TableField): string | null {
    for (const row of rows) {
      const value = this.one(row, field);
      if (value !== null) return value;
    }
    return null;
  }

  /** Notes the variants that a row lists, and numbers of sold pieces; to be called for all rows before anything is asked. */
  list(row: TableRow): void {
    this.soldMax = Math.max(this.soldMax, Number(this.one(row, 'sold') ?? Number.NaN));
    for (const [, sku = ''] of this.one(row, 'variations')?.matchAll(/(?:^|\|)sku=([^,|]+)/g) ?? [])
      this.#listed.set(sku, this.#ownKeyOf(row));
  }

  /** For one reading of the table, whose rows are given in their order: the key shared by rows of one product; null for a row that names none. */
  keyReader(): (row: TableRow) => string | null {
    let above: string | null = null;
    return (row) => {
      const named = this.one(row, 'row')?.toLowerCase() ?? 'product';
      // Squarespace names the product in its first row alone.
      const isContinued = this.columns.format === 'squarespace' && this.one(row, 'group') === null;
      if (named === 'product' && !isContinued) above = this.#ownKeyOf(row);
      return this.#parentOf(row) ?? above;
    };
  }

  /** Whether its product has a row of its own. */
  isVariant(row: TableRow): boolean {
    const named = this.one(row, 'row')?.toLowerCase();
    if (named !== undefined) return ['sku', 'variant', 'product_variation'].includes(named);
    return this.#parentOf(row) !== null || this.one(row, 'options') !== null;
  }

  /** Puts the product's own row before those of its variants. */
  sort(rows: TableRow[]): void {
    rows.sort((one, other) => Number(this.isVariant(one)) - Number(this.isVariant(other)));
  }

  /** Null for a relative link of a shop that is not known. */
  linkIn(rows: Rows): string | null {
    const link = wholeAddress(this.first(rows, 'url')?.replace(BARE_HOST, 'https://$&') ?? null, this.shop);
    return link?.startsWith('/') && this.shop === null ? null : link;
  }

  /** The link of a product or, without one, the page that its shop gives it. */
  pageOf(key: string, rows: Rows): string | null {
    const link = this.linkIn(rows);
    const { shop } = this;
    if (link !== null || shop === null) return link;
    const page = shop.includes('{') ? shop : shop.replace(/\/+$/, '') + this.columns.page;
    let isWhole = true;
    const filled = page.replace(PLACEHOLDER, (_, name: string) => {
      const value = name === 'key' ? key : rows.flatMap((row) => row.cells.get(name) ?? []).find(isGiven);
      isWhole &&= value !== undefined;
      return encodeURIComponent(value ?? '');
    });
    return isWhole ? filled : null;
  }

  pictures(row: TableRow, field: PictureField): string[] {
    return this.#named(row, field).filter(isReachable);
  }

  /** Whether it names a picture that is left out. */
  losesPicture(row: TableRow): boolean {
    const fields: PictureField[] = ['images', 'variant_image'];
    return !fields.every((field) => this.#named(row, field).every(isReachable));
  }

  #named(row: TableRow, field: PictureField): string[] {
    const [part, whole = ''] = SYSTEMS[this.columns.format]?.pictures ?? [];
    return this.all([row], field)
      .flatMap((text) => (WRAPPED.test(text) ? (text.match(WRAPPED_ADDRESS) ?? []) : text.split(BETWEEN)))
      .flatMap((each) => (ADDRESS.test(each) ? [each] : each.split(BETWEEN_NAMES)))
      .map((each) => each.trim().replaceAll('\\/', '/').replaceAll('&amp;', '&'))
      .map((each) => wholeAddress(part ? each.replace(new RegExp(part), whole) : each, this.shop) ?? '')
      .map((each) => (each.includes('://') ? each : each.replaceAll('\\', '/')))
      .filter((each) => each !== '');
  }

  #ownKeyOf(row: TableRow): string | null {
    return KEY_FIELDS.reduce<string | null>((key, field) => key ?? this.one(row, field), null);
  }

  #parentOf(row: TableRow): string | null {
    const parent = this.one(row, 'parent')?.replace(/^id:/i, '');
    return parent ?? this.#listed.get(this.one(row, 'sku') ?? '') ?? null;
  }

  /** What the list of attributes of a row has for a field. */
  #attributesOf(row: TableRow, field: TableField): readonly string[] {
    const column = this.columns.of.get('attributes')?.[0];
    const text = column && row.cells.get(column)?.[0];
    if (!text) return NONE;
    const known = this.#attributes.get(row) ?? new Map<TableField | undefined, string[]>();
    if (!this.#attributes.has(row))
      for (const [name, value] of pairsIn(text)) addTo(known, fieldOf(name), value);
    this.#attributes.set(row, known);
    return known.get(field) ?? NONE;
  }
}

type PictureField = 'images' | 'variant_image';
/** Between pictures of one cell. */
const BETWEEN = /(?:[|\n]|(?<!&amp);)+|,\s+|,(?=https?:\/\/|\/)|\s(?=https?:\/\/)/i;
/** Between names; an address may have commas: `/w_300,c_fill/a.jpg`. */
const BETWEEN_NAMES = /(?<=\.(?:jpe?g|png|webp)),(?=[^,]*\.(?:jpe?g|png|webp)(?:,|$))/i;
const ADDRESS = /^\s*(?:https?:)?\/\//i;
/** Pictures as JSON (`{"src":"https:\/\/…"}`), in braces, as HTML, or behind their names (`front.jpg (https://…)`). */
const WRAPPED = /^[[{<](?=.*https?:|\W*$)|\(https?:/s;
const WRAPPED_ADDRESS = /(?<=["'])https?:[^\s"'<>)]+|https?:(?:(?!,https?:)[^\s"'<>)\]}])+/g;
/** Not of one that has no host, is not https, is on a drive, or is outside of the folder of the table. */
const isReachable = (picture: string): boolean =>
  storedImageOf(picture) !== undefined || !/^(?:\/|http:|[a-z]:\/|(?!https:)(?:.*\/)?\.\.\/)/i.test(picture);

/** How a link begins that names its host without a scheme. */
const BARE_HOST = /^(?!index\.)[\p{L}\d-]+(?:\.[\p{L}\d-]+)+(?::\d+)?\//u;

/** Of an address without its scheme or, if the shop is known, without its host. */
function wholeAddress(text: string | null, shop: string | null): string | null {
  const whole = text?.replace(/^(?:\/\/|(?=www\.))/i, 'https://') ?? null;
  if (!whole?.startsWith('/') || shop === null || !URL.canParse(whole, shop)) return whole;
  return new URL(whole, shop).href;
}

/** The pairs of a list, names in lower case. */
export const pairsIn = (text: string): (readonly [name: string, value: string])[] =>
  [...text.matchAll(text.includes('|Value=') ? NAMED_PAIR : PAIR)].map(
    ([, name = '', value = '']) => [name.trim().toLowerCase(), value.trim()] as const,
  );

export const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value): value is string => value !== null && value !== '')),
];
