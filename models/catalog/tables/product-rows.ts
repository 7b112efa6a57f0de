import { createHash } from 'node:crypto';
import type { EntityRecord } from '../import/records';
import { fieldOf, type TableColumns, type TableField } from './columns';
import { plainText } from './plain-text';
import { readPrice, regionOf } from './prices';

/** A row of a table: the line on which it begins, and its non-blank cells by column, in order. */
export interface TableRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, readonly string[]>;
}

type Rows = readonly TableRow[];

export interface RowFault {
  readonly line: number;
  readonly field: string;
  readonly reason: string;
}

export type ReadRow = TableRow | RowFault;

export interface TableOptions {
  /** The category of all products, by slug or name; null takes it from the columns. */
  readonly category: string | null;
  /** Of prices without one, in lower case. */
  readonly currency: string | null;
  /** The shop, or its pages with columns in braces; the start of relative links, and of the pages of products without one. */
  readonly shop: string | null;
}

export type NamedEntity = Pick<EntityRecord, 'id' | 'kind' | 'name' | 'category' | 'parents'>;

export interface NamedCategory {
  readonly id: string;
  readonly name: string;
  /** If the catalog has it. */
  readonly hierarchy?: readonly string[];
}

export interface Named {
  readonly category: NamedCategory;
  readonly entities: readonly NamedEntity[];
}

/** A price of a table: a listing in bundle form, a fault, or none, with a remark that is not a fault of its row. */
export type TablePrice =
  | RowFault
  | { readonly line: number; readonly value: object }
  | { readonly line: number; readonly remark: string };

export interface KnownNames {
  find(name: string): NamedCategory | undefined;
  /** The id of an entity in the catalog, by the id derived from its name. */
  idOf(made: string): string;
}

const FACETS = ['colour', 'material', 'gender', 'condition'] as const;
const NO_CURRENCY = 'left out: no currency is named; give it with --currency';
const NO_PAGE =
  'left out: the page of the product is not known; give --shop, if need be with columns of the table';
const NO_AMOUNT = 'left out: 0, or words instead of an amount';
const MARKETS = 'markets are priced in usd, gbp and eur';
const NO_CATEGORY = 'Products';
const DESCRIPTION_LENGTH_MAX = 4_000;
const OPTIONS = ['1', '2', '3'] as const;
const DATE = /^(\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])/;
const GERMAN_DATE = /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?:20)?(?<year>\d\d)(?!\d)/;
/** As Magento writes in American English. */
const AMERICAN_DATE = /^(?<month>0?[1-9]|1[0-2])\/(?<day>\d\d?)\/(?<year>\d\d)(?!\d)/;
const HIDDEN = ['false', 'no', 'n', '0', '-1', '2', 'hidden', 'unavailable', 'not visible individually'];
/** A pair in `size=S,color=Red`, `"Size: S","Colour: Red"`, `[Size=S|Colour=Red]`, `[S]Size=S`; and in `Type=Radio|Name=Size|Value=S`. */
const PAIR = /(?:^|[[\],|"])\s*([^[\],|"=:]+)[=:]([^\],|"]*)/g;
const NAMED_PAIR = /Name=([^|]*)\|Value=(.*?)(?:\[[^\]]*\])?[,;|\s]*(?=Type=|$)/g;
/** A column in the address of pages. */
const PLACEHOLDER = /\{([^{}]*)\}/g;
const NONE: readonly string[] = [];
const DEFAULT_OPTION = /^default(?: title)?$/i;

export class ProductRows {
  /** By the SKU of a variant that the row of its product lists: the key of that product. */
  readonly #listed = new Map<string, string | null>();
  /** The key of the last product, which further rows belong to. */
  #above: string | null = null;

  constructor(
    private readonly columns: TableColumns,
    private readonly options: TableOptions,
    private readonly known: KnownNames,
  ) {}

  /** Notes the variants that a row lists; to be called for all rows before the first key is asked for. */
  list(row: TableRow): void {
    for (const [, sku = ''] of this.#one(row, 'variations')?.matchAll(/(?:^|\|)sku=([^,|]+)/g) ?? [])
      this.#listed.set(sku, this.#ownKeyOf(row));
  }

  /** The key shared by rows of one product; null for a row that names none. To be called for the rows in their order. */
  keyOf(row: TableRow): string | null {
    const named = this.#one(row, 'row')?.toLowerCase() ?? 'product';
    if (named === 'product') this.#above = this.#ownKeyOf(row);
    return this.#parentOf(row) ?? this.#above;
  }

  #ownKeyOf(row: TableRow): string | null {
    const fields = ['group', 'id', 'sku', 'url'] as const;
    return fields.reduce<string | null>((key, field) => key ?? this.#one(row, field), null);
  }

  #parentOf(row: TableRow): string | null {
    const parent = this.#one(row, 'parent')?.replace(/^id:/i, '');
    return parent ?? this.#listed.get(this.#one(row, 'sku') ?? '') ?? null;
  }

  /** Whether its product has a row of its own. */
  #isVariant(row: TableRow): boolean {
    const named = this.#one(row, 'row')?.toLowerCase();
    if (named !== undefined) return named === 'sku' || named === 'variant';
    return this.#parentOf(row) !== null || this.#one(row, 'options') !== null;
  }

  /** Puts the product's own row before those of its variants. */
  sort(rows: TableRow[]): void {
    rows.sort((one, other) => Number(this.#isVariant(one)) - Number(this.#isVariant(other)));
  }

  /** Whether a shop shows it: a draft, an archived or an unpublished product is not offered. */
  isOffered(rows: Rows): boolean {
    const of = (field: TableField) => this.#first(rows, field)?.toLowerCase() ?? '';
    const isHidden = HIDDEN.includes(of('published')) || HIDDEN.includes(of('visibility'));
    const isArchived = of('archived') !== '' && !HIDDEN.includes(of('archived'));
    return !['draft', 'archived'].includes(of('status')) && !isHidden && !isArchived;
  }

  /** Whether they can be a product. */
  isDescribed(rows: Rows): boolean {
    return (['title', 'brand', 'model', 'style'] as const).some((field) => this.#first(rows, field) !== null);
  }

  named(rows: Rows): Named {
    const path = leafOf(this.#first(rows, 'category') ?? deepestOf(this.#first(rows, 'categories')));
    const type = leafOf(this.#first(rows, 'type'));
    const name = this.options.category ?? path ?? type ?? NO_CATEGORY;
    const category = this.known.find(name) ?? { id: slugOf(name), name };
    const entities: NamedEntity[] = [];
    const add = (kind: string, name: string, scope: string, parents: NamedEntity['parents'] = {}) => {
      const id = this.known.idOf(`${kind}_${scope}${slugOf(name)}`);
      entities.push({ id, kind, name, category: category.id, parents });
      return id;
    };
    const within = `${category.id}-`;
    const [brand, model, style] = (['brand', 'model', 'style'] as const).map((field) =>
      this.#first(rows, field),
    );
    // A brand is shared by all categories that have it as the outermost level (contract 1.11).
    const isShared = (category.hierarchy?.[0] ?? 'brand') === 'brand';
    const above = brand ? { brand: add('brand', brand, isShared ? '' : within) } : {};
    const branded = brand ? `${within}${slugOf(brand)}-` : within;
    const under = model ? { ...above, model: add('model', model, branded, above) } : above;
    if (style) add('style', style, model ? `${branded}${slugOf(model)}-` : branded, under);
    const isCategory = this.options.category === null && path === null;
    if (type !== null && !isCategory) add('type', type, within);
    // A list in one cell, as is usual for colours and materials: `red/green`.
    for (const kind of FACETS) {
      const values = this.#all(rows, kind).flatMap((text) => text.split('/').map((each) => each.trim()));
      for (const value of distinct(values)) add(kind, value, within);
    }
    return { category, entities };
  }

  /** The record in bundle form, the faults of its rows, and whether its page begins with http:// and was left out. */
  product(key: string, rows: Rows) {
    const { category, entities } = this.named(rows);
    const attributes: Record<string, string[]> = {};
    for (const { kind, id } of entities) attributes[kind] = [...(attributes[kind] ?? []), id];
    const { variants, faults } = this.#variants(key, rows);
    const skus = distinct(rows.map((row) => this.#one(row, 'sku')));
    const keywords = this.#all(rows, 'keywords').flatMap((text) => text.split(/[,;|]/));
    const data = this.#data(rows);
    const url = this.#linkIn(rows) ?? this.#pageOf(key, rows);
    const isPageLeftOut = url !== null && /^http:\/\//i.test(url);
    const value = {
      id: productId(key),
      category: category.id,
      attributes,
      ...givenOf({
        title: plainText(this.#first(rows, 'title') ?? '') || null,
        sku: skus[0] ?? null,
        url: isPageLeftOut ? null : url,
      }),
      ...(Object.keys(data).length > 0 && { data }),
      keywords: distinct([...keywords.map((each) => each.trim()), ...skus.slice(1)]),
      images: distinct(this.#inOrder(rows).flatMap((row) => this.#pictures(row, 'images'))),
      variants: variants.map(({ value }) => value),
    };
    return { value, faults, isPageLeftOut };
  }

  /** Its prices as listings in bundle form. @param date today's, `YYYY-MM-DD` */
  listings(key: string, rows: Rows, date: string): readonly TablePrice[] {
    const title = plainText(this.#first(rows, 'title') ?? '');
    const page = this.#linkIn(rows) ?? this.#pageOf(key, rows);
    return this.#variants(key, rows).variants.flatMap(({ row, value: { id, fields } }): TablePrice[] => {
      const { line } = row;
      // A variant without a price of its own has that of its product.
      const own = this.#isVariant(row) ? rows.slice(0, 1).filter((each) => !this.#isVariant(each)) : [];
      const prices = [row, ...own].flatMap((each) => this.#pricesOf(each, date));
      const text = prices.find((each) => !isNoAmount(each));
      const price = text === undefined ? null : readPrice(text, this.columns.format !== 'generic');
      if (!price && text !== undefined) return [{ line, field: 'price', reason: `"${text}" is no price` }];
      const named = this.#one(row, 'currency')?.toLowerCase() ?? this.columns.currency;
      const currency = price?.currency ?? named ?? this.options.currency;
      const link = this.#linkIn([row]) ?? page;
      const region = currency === null ? null : regionOf(currency);
      const remarks = !price && prices.length > 0 ? [{ line, remark: NO_AMOUNT }] : [];
      if (!price && (link === null || region === null)) return remarks;
      if (currency === null) return [{ line, remark: NO_CURRENCY }];
      if (link === null) return [{ line, remark: NO_PAGE }];
      if (region === null) return [{ line, remark: `left out: in ${currency.toUpperCase()}; ${MARKETS}` }];
      const variant_name = [title, ...fields.map(({ name }) => name)].join(' ').trim();
      const vendor = URL.canParse(link) ? new URL(link).hostname : '';
      // Without a price too: the listing of an earlier day is not to keep its price.
      const amount = price?.amount ?? null;
      const value = { variant: id, region, link, variant_name, vendor, price: amount, currency, date };
      return [...remarks, { line, value }];
    });
  }

  /** The price that counts today before others that may stand in for it. */
  #pricesOf(row: TableRow, date: string): string[] {
    const [start, end] = [this.#one(row, 'sale_start') ?? '', this.#one(row, 'sale_end') ?? ''];
    // Either `2026-02-01T13:00-0800/20260228` or two cells; a side that is no date is open.
    const sides = this.#one(row, 'sale_dates')?.split('/') ?? [start, end];
    const [first = date, last = date] = sides.map(dayOf);
    const sale = first <= date && date <= last ? this.#one(row, 'sale_price') : null;
    return [sale, this.#one(row, 'price')].filter((text) => text !== null);
  }

  #variants(key: string, rows: Rows) {
    const isGoogle = this.columns.format === 'google';
    const names = OPTIONS.map((option) => this.#first(rows, `option${option}_name`) ?? `option ${option}`);
    const colours = distinct(rows.map((row) => this.#one(row, 'colour')));
    const ownFields = colours.length > 1 ? (['size', 'colour'] as const) : (['size'] as const);
    const variantOf = (row: TableRow, isSkuTaken: boolean) => {
      const fields = OPTIONS.map((option, position) => ({
        field: (names[position] ?? '').toLowerCase(),
        name: this.#one(row, `option${option}_value`),
      }));
      const given = [
        ...fields.filter(({ name }) => name === null || !DEFAULT_OPTION.test(name)),
        ...this.#optionsOf(row),
        ...ownFields.map((field) => ({ field, name: this.#one(row, field) })),
      ].flatMap(({ field, name }) => (name === null ? [] : [{ field, name }]));
      const id = this.#one(row, 'group') === null ? null : this.#one(row, 'id');
      const sku = id === null ? this.#one(row, 'sku') : null;
      const options = given.map((each) => each.name);
      const parts = [sku ?? [], sku === null || isSkuTaken ? options : []].flat();
      const name = id ?? (parts.join('/') || 'default');
      const isPictured = rows.length > 1 && (isGoogle || this.#isVariant(row));
      const images = [
        ...this.#pictures(row, 'variant_image'),
        ...(isPictured ? this.#pictures(row, 'images') : []),
      ];
      const value = { id: `variant_${idPart(key)}.${idPart(name)}`, fields: given, images };
      return { row, sku, options, name, value };
    };
    const variants = new Map<string, ReturnType<typeof variantOf>>();
    const faults: RowFault[] = [];
    // Where variants have rows of their own, the product's row is none, nor are others that belong to it.
    const children = rows.filter((row) => this.#isVariant(row));
    const own = children.length > 0 ? children : this.columns.of.has('row') ? rows.slice(0, 1) : rows;
    for (const row of own) {
      // Further rows may contain only pictures.
      const isVariant =
        row === own[0] ||
        isGoogle ||
        (['sku', 'price', 'option1_value', 'size'] as const).some((field) => this.#one(row, field) !== null);
      if (!isVariant) continue;
      const found = variantOf(row, false);
      const sharing = [...variants.values()].filter(({ sku }) => sku !== null && sku === found.sku);
      // The first row of a SKU has the id that it would have alone.
      const variant = sharing.length > 0 ? variantOf(row, true) : found;
      const hasAll = ({ options }: typeof found) => found.options.every((each) => options.includes(each));
      const before = variants.get(variant.name) ?? sharing.find(hasAll);
      if (!before) variants.set(variant.name, variant);
      else {
        const reason = `"${variant.name}" is a variant of this product in line ${before.row.line} already`;
        faults.push({ line: row.line, field: 'variants', reason });
      }
    }
    return { variants: [...variants.values()], faults };
  }

  #optionsOf(row: TableRow) {
    const text = (this.#isVariant(row) && this.#one(row, 'options')) || '';
    return pairsIn(text).map(([name, value]) => ({ field: fieldOf(name) ?? name, name: value }));
  }

  #linkIn(rows: Rows): string | null {
    return this.#addressOf(this.#first(rows, 'url'));
  }

  /** Of an address without its scheme or, if the shop is known, without its host. */
  #addressOf(text: string | null): string | null {
    const whole = text?.replace(/^(?:\/\/|(?=www\.))/i, 'https://') ?? null;
    return whole?.startsWith('/') && this.options.shop !== null
      ? new URL(whole, this.options.shop).href
      : whole;
  }

  #pageOf(key: string, rows: Rows): string | null {
    const { shop } = this.options;
    if (shop === null) return null;
    const page = shop.includes('{') ? shop : shop.replace(/\/+$/, '') + this.columns.page;
    let isWhole = true;
    const filled = page.replace(PLACEHOLDER, (_, name: string) => {
      const value = name === 'key' ? key : rows.flatMap((row) => row.cells.get(name) ?? [])[0];
      isWhole &&= value !== undefined;
      return encodeURIComponent(value ?? '');
    });
    return isWhole ? filled : null;
  }

  #data(rows: Rows): Record<string, string> {
    const description = plainText(this.#first(rows, 'description') ?? '').slice(0, DESCRIPTION_LENGTH_MAX);
    const others = this.columns.data.flatMap((column) => {
      const value = rows.flatMap((row) => row.cells.get(column) ?? []).join('\n');
      return value === '' ? [] : [[column, value] as const];
    });
    const availability = this.#first(rows, 'availability');
    const own = { description: description.trim() || null, availability };
    return givenOf({ ...own, ...Object.fromEntries(others) });
  }

  /** By the positions of their pictures, if every row with a picture has one. */
  #inOrder(rows: Rows): Rows {
    const position = (row: TableRow) => Number(this.#one(row, 'image_position') ?? Number.NaN);
    const isOrdered = rows.every((row) => this.#pictures(row, 'images').length === 0 || position(row) > 0);
    return isOrdered ? [...rows].sort((left, right) => (position(left) || 0) - (position(right) || 0)) : rows;
  }

  #pictures(row: TableRow, field: 'images' | 'variant_image'): string[] {
    return this.#all([row], field)
      .flatMap((text) => text.split(/[|;\n]+|,\s+|,(?=https?:\/\/|\/\/)/))
      .map((each) => this.#addressOf(each.trim()) ?? '')
      .filter((each) => each !== '');
  }

  #all(rows: Rows, field: TableField): string[] {
    const columns = this.columns.of.get(field) ?? [];
    return rows.flatMap((row) => {
      const found = columns.flatMap((column) => row.cells.get(column) ?? []);
      return found.length > 0 ? found : this.#attributesOf(row, field);
    });
  }

  #one(row: TableRow, field: TableField): string | null {
    for (const column of this.columns.of.get(field) ?? NONE) {
      const value = row.cells.get(column)?.[0];
      if (value !== undefined) return value;
    }
    return this.#attributesOf(row, field)[0] ?? null;
  }

  #first(rows: Rows, field: TableField): string | null {
    for (const row of rows) {
      const value = this.#one(row, field);
      if (value !== null) return value;
    }
    return null;
  }

  /** What the list of attributes of a row has for a field. */
  #attributesOf(row: TableRow, field: TableField): readonly string[] {
    const text = row.cells.get(this.columns.of.get('attributes')?.[0] ?? '')?.[0];
    if (text === undefined) return NONE;
    return pairsIn(text).flatMap(([name, value]) => (fieldOf(name) === field ? [value] : []));
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

/** The pairs of a list, names in lower case. */
const pairsIn = (text: string): (readonly [name: string, value: string])[] =>
  [...text.matchAll(text.includes('|Value=') ? NAMED_PAIR : PAIR)].map(
    ([, name = '', value = '']) => [name.trim().toLowerCase(), value.trim()] as const,
  );

/** The path with the most steps of a list such as `Sale, Bags > Handbags`, with `>` or `/` between steps. */
const deepestOf = (list: string | null): string | null =>
  (list ?? '')
    .split(/[,;|]/)
    .map((path) => path.split(path.includes('>') ? '>' : '/'))
    .reduce((deepest, path) => (path.length > deepest.length ? path : deepest))
    .join('>') || null;

/** The last step of `Apparel > Handbags`; null for a category number. */
function leafOf(path: string | null): string | null {
  const leaf = (path ?? '').split('>').at(-1)?.trim() ?? '';
  return leaf === '' || /^\d+$/.test(leaf) ? null : leaf;
}

const SLUG_LENGTH_MAX = 60;

/** The same value for all spellings of a name that differ only in case, accents and punctuation. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .normalize('NFC');
  return slug === '' || slug.length > SLUG_LENGTH_MAX ? withDigest(slug, name.trim()) : slug;
}

export const productId = (key: string): string => `product_${idPart(key)}`;

/** A shop's key as a part of an id: unchanged if valid; else a unique substitute for each. */
const idPart = (key: string): string => (/^[\w.-]{1,80}$/.test(key) ? key : withDigest(slugOf(key), key));

const withDigest = (slug: string, text: string): string =>
  `${slug.slice(0, SLUG_LENGTH_MAX)}${slug === '' ? '' : '-'}${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value): value is string => value !== null && value !== '')),
];

const givenOf = (values: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null));
