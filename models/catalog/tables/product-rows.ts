import type { EntityRecord } from '../import/records';
import { says, type TableField } from './columns';
import { productId, slugOf } from './ids';
import { plainText } from './plain-text';
import { ProductPrices } from './product-prices';
import { ProductVariants } from './product-variants';
import { distinct, type Rows, type TableRow, type TableRows } from './table-rows';

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

export interface KnownNames {
  find(name: string): NamedCategory | undefined;
  /** The id of an entity in the catalog, by the id derived from its name. */
  idOf(made: string): string;
}

const FACETS = ['colour', 'material', 'gender', 'condition'] as const;
const NO_CATEGORY = 'Products';
const DESCRIPTION_LENGTH_MAX = 4_000;

/** The rows of a table as records in bundle form. */
export class ProductRows {
  readonly prices: ProductPrices;
  readonly #variants: ProductVariants;

  constructor(
    readonly table: TableRows,
    private readonly options: TableOptions,
    private readonly known: KnownNames,
  ) {
    this.#variants = new ProductVariants(table);
    this.prices = new ProductPrices(table, this.#variants, options.currency);
  }

  /** Whether a shop shows it: a draft, an archived, an unpublished or a sold product is not offered. */
  isOffered(rows: Rows): boolean {
    const of = (field: TableField) => this.table.first(rows, field);
    const isHidden = says(of('published'), 'no', 'hidden') || says(of('visibility'), 'no', 'hidden');
    const isArchived = of('archived') !== null && !says(of('archived'), 'no');
    return !says(of('status'), 'draft') && !isHidden && !isArchived && !this.isSold(rows);
  }

  /** Whether each row says so. */
  isSold(rows: Rows): boolean {
    return rows.every((row) => {
      const of = (field: TableField) => this.table.one(row, field);
      const mark = this.table.soldMax > 1 ? null : of('sold');
      const isMarked = mark !== null && !says(mark, 'no', 'none');
      return isMarked || says(of('status'), 'sold') || says(of('availability'), 'no', 'sold');
    });
  }

  /** Whether they can be a product. */
  isDescribed(rows: Rows): boolean {
    return (['title', 'brand', 'model', 'style'] as const).some(
      (field) => this.table.first(rows, field) !== null,
    );
  }

  named(rows: Rows): Named {
    const path = leafOf(
      this.table.first(rows, 'category') ?? deepestOf(this.table.first(rows, 'categories')),
    );
    const type = leafOf(this.table.first(rows, 'type'));
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
      this.table.first(rows, field),
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
      const between = kind === 'material' ? /[/;,、]/ : /[/;]/;
      const values = this.table.all(rows, kind).flatMap((text) => text.split(between));
      for (const value of distinct(values.map((each) => each.trim()))) add(kind, value, within);
    }
    return { category, entities };
  }

  /** The record in bundle form, the faults and repetitions of its rows, those that lose pictures, and whether its page begins with http:// and was left out. */
  product(key: string, rows: Rows) {
    const { category, entities } = this.named(rows);
    const attributes: Record<string, string[]> = {};
    for (const { kind, id } of entities) attributes[kind] = [...(attributes[kind] ?? []), id];
    const { variants, faults, repeated } = this.#variants.of(key, rows);
    const skus = distinct(rows.map((row) => this.table.one(row, 'sku')));
    const keywords = this.table.all(rows, 'keywords').flatMap((text) => text.split(/[,;|]/));
    const data = this.#data(rows);
    const url = this.table.pageOf(key, rows);
    const isPageLeftOut = url !== null && /^http:\/\//i.test(url);
    const value = {
      id: productId(key),
      category: category.id,
      attributes,
      ...givenOf({
        title: plainText(this.table.first(rows, 'title') ?? '') || null,
        sku: skus[0] ?? null,
        url: isPageLeftOut ? null : url,
      }),
      ...(Object.keys(data).length > 0 && { data }),
      keywords: distinct([...keywords.map((each) => each.trim()), ...skus.slice(1)]),
      images: distinct(this.#inOrder(rows).flatMap((row) => this.table.pictures(row, 'images'))),
      variants: variants.map(({ value }) => value),
    };
    const pictureless = rows.filter((row) => this.table.losesPicture(row)).map(({ line }) => line);
    return { value, faults, repeated, pictureless, isPageLeftOut };
  }

  #data(rows: Rows): Record<string, string> {
    const text = plainText(this.table.first(rows, 'description') ?? '');
    const others = this.table.columns.data.flatMap((column) => {
      const value = rows.flatMap((row) => row.cells.get(column) ?? []).join('\n');
      return value === '' ? [] : [[column, value] as const];
    });
    const availability = this.table.first(rows, 'availability');
    const own = { description: text.slice(0, DESCRIPTION_LENGTH_MAX).trim() || null, availability };
    return givenOf({ ...own, ...Object.fromEntries(others) });
  }

  /** By the positions of their pictures, if every row with a picture has one. */
  #inOrder(rows: Rows): Rows {
    const position = (row: TableRow) => Number(this.table.one(row, 'image_position') ?? Number.NaN);
    const isOrdered = rows.every(
      (row) => this.table.pictures(row, 'images').length === 0 || position(row) > 0,
    );
    return isOrdered ? [...rows].sort((left, right) => (position(left) || 0) - (position(right) || 0)) : rows;
  }
}

/** The path with the most steps of a list such as `Sale, Bags > Handbags`, with `>` or `/` between steps. */
const deepestOf = (list: string | null): string | null =>
  (list ?? '')
    .split(/[,;|]/)
    .map((path) => path.split(path.includes('>') ? '>' : '/'))
    .reduce((deepest, path) => (stepsOf(path) > stepsOf(deepest) ? path : deepest))
    .join('>') || null;

const stepsOf = (path: readonly string[]): number => (says(path.join().trim(), 'root') ? 0 : path.length);

/** The last step of `Apparel > Handbags`; null for the number or UUID of a category. */
function leafOf(path: string | null): string | null {
  const leaf = (path ?? '').split('>').at(-1)?.trim() ?? '';
  return leaf === '' || /^(?:\d+|[\da-f]{32})$/.test(leaf) ? null : leaf;
}

const givenOf = (values: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null));
