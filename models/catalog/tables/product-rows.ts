import { createHash } from 'node:crypto';
import type { TableColumns, TableField } from './columns';
import { plainText } from './plain-text';
import { type Price, readPrice, regionOf } from './prices';

/** A row of a table: the line that it begins in, and its cells that are not blank by their columns, in order. */
export interface TableRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, readonly string[]>;
}

/** What a table does not say by itself. */
export interface TableOptions {
  /** The category of all products, by slug or name; null takes it from the columns. */
  readonly category: string | null;
  /** Of prices that name none, in lower case. */
  readonly currency: string | null;
  /** The shop, at which a product without a link has the page `/products/<handle>`. */
  readonly shop: string | null;
}

/** A category or entity that a product names. */
export interface NamedEntity {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  readonly parents: Readonly<Record<string, string>>;
}

export interface NamedCategory {
  readonly id: string;
  readonly name: string;
  /** Of one that the catalog has. */
  readonly hierarchy?: readonly string[];
}

/** A price of a table: a listing in the form of a bundle's, a fault, or none for a reason that is no fault of its row. */
export type TablePrice =
  | RowFault
  | { readonly line: number; readonly value: object }
  | { readonly unpriced: Unpriced };

/** What is wrong with a row, or with one of its cells. */
export interface RowFault {
  readonly line: number;
  readonly field: string;
  readonly reason: string;
}

/** A row as it was read, or why what stands there is none. */
export type ReadRow = TableRow | RowFault;

/** Why a price of a table is no listing, where that is no fault of its row. */
export type Unpriced = 'no currency' | 'no page' | `currency ${string}`;

/** Looks a category up by its slug or name, as the catalog has it. */
export type FindCategory = (name: string) => NamedCategory | undefined;

const FACETS = ['type', 'colour', 'material', 'gender', 'condition'] as const;
const NO_CATEGORY = 'Products';
const DESCRIPTION_LENGTH_MAX = 4_000;
const OPTIONS = ['1', '2', '3'] as const;
const DEFAULT_OPTION = /^default(?: title)?$/i;

/** Reads the rows of one product, which share its key, by the columns of their table. */
export class ProductRows {
  constructor(
    private readonly columns: TableColumns,
    private readonly options: TableOptions,
    private readonly findCategory: FindCategory,
    /** The id of an entity in the catalog, by the one that is made of its name. */
    private readonly idOf: (made: string) => string = (made) => made,
  ) {}

  /** What rows of one product share; null of a row that names none. */
  keyOf(row: TableRow): string | null {
    return this.#one(row, 'group') ?? this.#one(row, 'id') ?? this.#one(row, 'sku') ?? this.#one(row, 'url');
  }

  /** Whether a shop shows it: a draft, an archived or an unpublished product is none of its offers. */
  isOffered(rows: readonly TableRow[]): boolean {
    const status = this.#first(rows, 'status')?.toLowerCase() ?? 'active';
    const published = this.#first(rows, 'published')?.toLowerCase() ?? 'true';
    return !['draft', 'archived'].includes(status) && !['false', 'no', '0'].includes(published);
  }

  /** Whether they describe the product; the others of its rows may stand elsewhere. */
  isDescribed(rows: readonly TableRow[]): boolean {
    return (this.#first(rows, 'title') ?? this.#first(rows, 'brand')) !== null;
  }

  /** The category and the entities that the product names. */
  named(rows: readonly TableRow[]): {
    readonly category: NamedCategory;
    readonly entities: readonly NamedEntity[];
  } {
    const paths = {
      category: leafOf(this.#first(rows, 'category')),
      type: leafOf(this.#first(rows, 'type')),
    };
    const name = this.options.category ?? paths.category ?? paths.type ?? NO_CATEGORY;
    const category = this.findCategory(name) ?? { id: slugOf(name), name };
    const entities: NamedEntity[] = [];
    const add = (
      kind: string,
      value: string,
      scope: string,
      parents: Readonly<Record<string, string>> = {},
    ) => {
      const id = this.idOf(`${kind}_${scope}${slugOf(value)}`);
      entities.push({ id, kind, name: value, category: category.id, parents });
      return id;
    };
    const within = `${category.id}-`;
    const [brand, model, style] = (['brand', 'model', 'style'] as const).map((field) =>
      this.#first(rows, field),
    );
    // A brand is shared by all categories of which it is the outermost level (contract 1.11).
    const isShared = (category.hierarchy?.[0] ?? 'brand') === 'brand';
    const brandId = brand && add('brand', brand, isShared ? '' : within);
    const above = brandId ? { brand: brandId } : {};
    const branded = brand ? `${within}${slugOf(brand)}-` : within;
    const modelId = model && add('model', model, branded, above);
    const modelled = model ? `${branded}${slugOf(model)}-` : branded;
    if (style) add('style', style, modelled, modelId ? { ...above, model: modelId } : above);
    for (const kind of FACETS) {
      const values =
        kind === 'type' ? [this.#isCategory(paths) ? null : paths.type] : this.#values(rows, kind);
      for (const value of distinct(values)) add(kind, value, within);
    }
    return { category, entities };
  }

  /** The record of the product, in the form of a bundle's, and what is wrong with rows of it. */
  product(
    key: string,
    rows: readonly TableRow[],
  ): { readonly value: object; readonly faults: readonly RowFault[] } {
    const { category, entities } = this.named(rows);
    const attributes: Record<string, string[]> = {};
    for (const { kind, id } of entities) attributes[kind] = [...(attributes[kind] ?? []), id];
    const { variants, faults } = this.#variants(key, rows);
    const skus = distinct(rows.map((row) => this.#one(row, 'sku')));
    const url = this.#first(rows, 'url') ?? this.#pageOf(key);
    const data = this.#data(rows);
    const value = {
      id: productId(key),
      category: category.id,
      attributes,
      ...givenOf({ title: this.#first(rows, 'title'), sku: skus[0] ?? null, url }),
      ...(Object.keys(data).length > 0 && { data }),
      keywords: distinct([...this.#keywords(rows), ...skus.slice(1)]),
      images: distinct(this.#inOrder(rows).flatMap((row) => this.#pictures(row, 'images'))),
      variants: variants.map(({ value }) => value),
    };
    return { value, faults };
  }

  /** Its prices as listings in the form of a bundle's. @param date of today, `YYYY-MM-DD` */
  listings(key: string, rows: readonly TableRow[], date: string): readonly TablePrice[] {
    const title = this.#first(rows, 'title') ?? '';
    const page = this.#first(rows, 'url') ?? this.#pageOf(key);
    return this.#variants(key, rows).variants.flatMap(({ row, value: { id, fields } }): TablePrice[] => {
      const price = this.#price(row);
      if (price === null) return [];
      const { line } = row;
      if ('reason' in price) return [{ line, field: 'price', ...price }];
      const named = this.#one(row, 'currency')?.toLowerCase() ?? this.columns.currency;
      const currency = price.currency ?? named ?? this.options.currency;
      const link = this.#one(row, 'url') ?? page;
      if (currency === null) return [{ unpriced: 'no currency' }];
      if (link === null) return [{ unpriced: 'no page' }];
      const region = regionOf(currency);
      if (region === null) return [{ unpriced: `currency ${currency}` }];
      const variant_name = [title, ...fields.map(({ name }) => name)].join(' ').trim();
      const vendor = URL.canParse(link) ? new URL(link).hostname : '';
      const value = { variant: id, region, link, variant_name, vendor, price: price.amount, currency, date };
      return [{ line, value }];
    });
  }

  #price(row: TableRow): Price | { readonly reason: string } | null {
    const text = this.#one(row, 'sale_price') ?? this.#one(row, 'price');
    if (text === null) return null;
    return readPrice(text, this.columns.format !== 'generic') ?? { reason: `"${text}" is no price` };
  }

  #variants(key: string, rows: readonly TableRow[]) {
    const variants: {
      row: TableRow;
      value: { id: string; fields: { field: string; name: string }[]; images: string[] };
    }[] = [];
    const faults: RowFault[] = [];
    const lines = new Map<string, number>();
    const names = OPTIONS.map((option) => this.#first(rows, `option${option}_name`) ?? `option ${option}`);
    const colours = distinct(rows.map((row) => this.#one(row, 'colour')));
    for (const row of rows.filter((each) => this.#isVariant(each, rows))) {
      const fields = OPTIONS.flatMap((option, position) => {
        const name = this.#one(row, `option${option}_value`);
        return name === null || DEFAULT_OPTION.test(name)
          ? []
          : [{ field: (names[position] ?? '').toLowerCase(), name }];
      });
      for (const field of ['size', ...(colours.length > 1 ? (['colour'] as const) : [])] as const) {
        const name = this.#one(row, field);
        if (name !== null) fields.push({ field, name });
      }
      const own = [
        this.#one(row, 'group') === null ? null : this.#one(row, 'id'),
        this.#one(row, 'sku'),
      ].find((each) => each !== null);
      const name = own ?? (fields.map((field) => field.name).join('/') || 'default');
      const before = lines.get(name);
      if (before !== undefined) {
        faults.push({
          line: row.line,
          field: 'variants',
          reason: `"${name}" is a variant of this product in line ${before} already`,
        });
        continue;
      }
      lines.set(name, row.line);
      const images = this.#pictures(
        row,
        rows.length > 1 && this.columns.format === 'google' ? 'images' : 'variant_image',
      );
      variants.push({ row, value: { id: `variant_${idPart(key)}.${idPart(name)}`, fields, images } });
    }
    return { variants, faults };
  }

  /** Further rows may bring pictures alone. */
  #isVariant(row: TableRow, rows: readonly TableRow[]): boolean {
    const fields: readonly TableField[] = ['sku', 'price', 'option1_value', 'size'];
    return (
      row === rows[0] ||
      this.columns.format === 'google' ||
      fields.some((field) => this.#one(row, field) !== null)
    );
  }

  #isCategory({
    category,
    type,
  }: {
    readonly category: string | null;
    readonly type: string | null;
  }): boolean {
    return this.options.category === null && category === null && type !== null;
  }

  #pageOf(key: string): string | null {
    const { shop } = this.options;
    return shop === null ? null : `${shop.replace(/\/+$/, '')}/products/${encodeURIComponent(key)}`;
  }

  #data(rows: readonly TableRow[]): Record<string, string> {
    const description = plainText(this.#first(rows, 'description') ?? '')
      .slice(0, DESCRIPTION_LENGTH_MAX)
      .trim();
    const others = this.columns.data.flatMap((column) => {
      const value = rows.flatMap((row) => row.cells.get(column) ?? []).join('\n');
      return value === '' ? [] : [[column, value] as const];
    });
    const own = givenOf({
      description: description || null,
      availability: this.#first(rows, 'availability'),
    });
    return { ...own, ...Object.fromEntries(others) };
  }

  #keywords(rows: readonly TableRow[]): string[] {
    return this.#all(rows, 'keywords').flatMap((text) => text.split(/[,;|]/).map((each) => each.trim()));
  }

  #inOrder(rows: readonly TableRow[]): readonly TableRow[] {
    const position = (row: TableRow) => Number(this.#one(row, 'image_position') ?? Number.NaN);
    const isOrdered = rows.every((row) => this.#pictures(row, 'images').length === 0 || position(row) > 0);
    return isOrdered ? [...rows].sort((left, right) => (position(left) || 0) - (position(right) || 0)) : rows;
  }

  #pictures(row: TableRow, field: 'images' | 'variant_image'): string[] {
    return this.#all([row], field)
      .flatMap((text) => text.split(/[|;\n]+|,\s+|,(?=https?:\/\/|\/\/)/))
      .map((each) => each.trim().replace(/^\/\//, 'https://'))
      .filter((each) => each !== '');
  }

  /** Of a list in one cell, as colours and materials are written: `red/green`. */
  #values(rows: readonly TableRow[], field: TableField): string[] {
    return this.#all(rows, field).flatMap((text) => text.split('/').map((each) => each.trim()));
  }

  #all(rows: readonly TableRow[], field: TableField): string[] {
    const columns = this.columns.of.get(field) ?? [];
    return rows.flatMap((row) => columns.flatMap((column) => row.cells.get(column) ?? []));
  }

  #one(row: TableRow, field: TableField): string | null {
    for (const column of this.columns.of.get(field) ?? []) {
      const [value] = row.cells.get(column) ?? [];
      if (value !== undefined) return value;
    }
    return null;
  }

  #first(rows: readonly TableRow[], field: TableField): string | null {
    for (const row of rows) {
      const value = this.#one(row, field);
      if (value !== null) return value;
    }
    return null;
  }
}

/** The last step of `Apparel > Handbags`; null of the number of one. */
function leafOf(path: string | null): string | null {
  const leaf = (path ?? '').split('>').at(-1)?.trim() ?? '';
  return leaf === '' || /^\d+$/.test(leaf) ? null : leaf;
}

const SLUG_LENGTH_MAX = 60;

/** One for all spellings of a name that differ in case, accents and punctuation. */
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

/** A key of a shop as a part of an id: as it is, where it can be; else another one for each. */
const idPart = (key: string): string => (/^[\w.-]{1,80}$/.test(key) ? key : withDigest(slugOf(key), key));

const withDigest = (slug: string, text: string): string =>
  `${slug.slice(0, SLUG_LENGTH_MAX)}${slug === '' ? '' : '-'}${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value): value is string => value !== null && value !== '')),
];

const givenOf = (values: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null));
