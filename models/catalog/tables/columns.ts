import dictionary from './columns.json';
import { currencyIn, withoutCurrency } from './prices';

/**
 * The meanings of columns of a shop's table, and the headers recognised for each: folded by `foldHeader`, in the spellings of
 * Google Merchant, several systems and shops in six languages. `images` and `keywords` take several columns, the others the
 * first. `row` says what a row is about, where rows of variants follow that of their product; `variations` lists the SKUs of a
 * product whose variants have rows of their own; `options` and `attributes` are lists in a cell, `Size=S,Colour=Red`.
 */
const HEADERS: Readonly<Record<TableField, readonly string[]>> = dictionary.fields;
export type TableField = keyof typeof dictionary.fields;
const FIELDS = Object.keys(HEADERS) as TableField[];
const isField = (name: string): name is TableField => Object.hasOwn(HEADERS, name);

const FIELD_OF_HEADER = new Map(FIELDS.flatMap((field) => HEADERS[field].map((each) => [each, field])));
const LISTS: ReadonlySet<TableField> = new Set(['images', 'keywords']);

/** The fields that tell products apart, best first. */
export const KEY_FIELDS = ['group', 'id', 'sku', 'url'] as const;

/** An export with headers that mean something else in other tables; `headers` are those that only it has. */
interface System {
  readonly headers: readonly string[];
  readonly columns: { readonly [Field in TableField]?: readonly string[] };
  /** The page of a product below the address of the shop, with columns in braces. */
  readonly page?: string;
  /** Of pictures that are no whole addresses: what is replaced, as a regular expression, and by what. */
  readonly pictures?: readonly string[];
}
export const SYSTEMS: Readonly<Record<string, System>> = dictionary.systems;
export const TABLE_FORMATS: readonly string[] = ['shopify', 'google', ...Object.keys(SYSTEMS), 'generic'];

export interface TableColumns {
  readonly format: string;
  /** The columns of a field, best first. */
  readonly of: ReadonlyMap<TableField, readonly string[]>;
  /** Columns that go to a product's own `data`. */
  readonly data: readonly string[];
  readonly unread: readonly string[];
  /** The currency in the header of the prices, as in "Price (EUR)". */
  readonly currency: string | null;
  /** The page of a product below the address of the shop: columns in braces, and `{key}`. */
  readonly page: string;
}

/** A map file: a field, or `data`, to the name of its column or columns, or null for none; `"data": "*"` takes all others. */
export type ColumnMap = Readonly<Record<string, string | readonly string[] | null>>;

/** The meaning of the columns, by the map, then by their headers. @throws Error for an unknown field or column in the map */
export function readColumns(
  header: readonly string[],
  format: string | null = null,
  map: ColumnMap = {},
): TableColumns {
  const folded = new Map(header.toReversed().map((column) => [foldHeader(column), column]));
  const isOf = (name: string) => SYSTEMS[name]?.headers.some((each) => folded.has(each));
  const system = format ?? TABLE_FORMATS.find(isOf);
  const of = columnsOfFields(header, folded, { ...(system && columnsOfSystem(system, header)), ...map });
  const named = (field: TableField) => of.get(field)?.flatMap((each) => currencyIn(each) ?? [])[0];
  const [own = null, ofSale = own] = [named('price'), named('sale_price')];
  if (own !== null && ofSale !== own) of.delete('sale_price');
  const used = new Set([...of.values()].flat());
  const wholly = [...LISTS, 'variant_image' as const].flatMap((field) => of.get(field) ?? []);
  const repeated = header.filter(
    (column, at) => used.has(column) && header.indexOf(column) < at && !wholly.includes(column),
  );
  const others = header.filter((column) => !used.has(column));
  const data = map['data'] === '*' ? others : columnsNamed(map['data'] ?? null, header, 'data');
  return {
    format: system ?? formatOf(of),
    of,
    data,
    unread: [...others.filter((column) => !data.includes(column)), ...repeated],
    currency: own ?? ofSale,
    page: SYSTEMS[system ?? '']?.page ?? '/products/{key}',
  };
}

/** By what is known of them, then by their headers. */
function columnsOfFields(
  header: readonly string[],
  folded: ReadonlyMap<string, string>,
  known: ColumnMap,
): Map<TableField, string[]> {
  const of = new Map<TableField, string[]>();
  for (const [name, wanted] of Object.entries(known)) {
    if (isField(name)) of.set(name, columnsNamed(wanted, header, name));
    else if (name !== 'data') throw new Error(unknownField(name));
  }
  const used = new Set([...of.values()].flat());
  const take = (field: TableField, column: string) => {
    if (used.has(column) || Object.hasOwn(known, field)) return;
    of.set(field, [...(of.get(field) ?? []), column]);
    used.add(column);
  };
  // Several pieces may have one reference, as watches do.
  const isNumbered = dictionary.words.stock.some((name) => folded.has(name));
  // `Title` before `Title (de)`, `Size` before `US Size`.
  const isQualified = (column: string) => Number(/\([a-z]{2}\)/i.test(column) || SIZING.test(column));
  for (const column of header.toSorted((one, other) => isQualified(one) - isQualified(other))) {
    const field = isNumbered && says(foldHeader(column), 'reference') ? 'keywords' : fieldOf(column);
    if (field && (LISTS.has(field) || !of.has(field))) take(field, column);
  }
  // Less usual columns, for fields that have no other; a SKU if nothing else tells products apart.
  for (const [field, names] of Object.entries(dictionary.fallbacks) as [TableField, string[]][]) {
    const [column] = names.flatMap((name) => folded.get(name) ?? []);
    const isTold = field === 'sku' ? hasKey(of) : of.has(field);
    if (column !== undefined && !isTold) take(field, column);
  }
  return of;
}

/** Whether a cell is one of the words that say so. */
export const says = (cell: string | null, ...what: (keyof typeof dictionary.words)[]): boolean =>
  cell !== null && what.some((each) => dictionary.words[each].includes(cell.toLowerCase()));

/** Whether a column tells products apart. */
export const hasKey = (of: TableColumns['of']): boolean => KEY_FIELDS.some((field) => of.get(field)?.length);

/** The fields of a system whose columns the table has, and those that it must not have. */
const columnsOfSystem = (system: string, header: readonly string[]): ColumnMap =>
  Object.fromEntries(
    Object.entries(SYSTEMS[system]?.columns ?? {}).flatMap(([field, names]) => {
      const columns = names.flatMap((name) => header.filter((each) => foldHeader(each) === name));
      return columns.length > 0 || names.length === 0 ? [[field, columns]] : [];
    }),
  );

/** The field that a header, or the name of an attribute, is known to mean. */
export const fieldOf = (header: string): TableField | undefined => FIELD_OF_HEADER.get(foldHeader(header));

function columnsNamed(
  wanted: string | readonly string[] | null,
  header: readonly string[],
  field: string,
): string[] {
  const names = wanted === null ? [] : typeof wanted === 'string' ? [wanted] : [...wanted];
  const missing = names.find((name) => !header.includes(name));
  if (missing === undefined) return names;
  throw new Error(
    `The map names the column "${missing}" for ${field}, which the table does not have. It has: ${header.join(', ')}.`,
  );
}

const unknownField = (name: string): string =>
  `The map has an unknown field "${name}". It may have: ${[...FIELDS, 'data'].join(', ')}.`;

const formatOf = (of: ReadonlyMap<TableField, readonly string[]>): string => {
  const has = (field: TableField, header: RegExp) =>
    of.get(field)?.some((column) => header.test(foldHeader(column)));
  const isShopify = has('price', /^variant price$/) || has('images', /^(?:image src|product image url)$/);
  if (has('group', /^(?:url )?handle$/) && isShopify) return 'shopify';
  return has('images', /^image link$/) && has('id', /^id$/) ? 'google' : 'generic';
};

/** A namespace, a metafield, and a language, as in Lightspeed's and OpenCart's exports (`NL_Title_Short`, `name(en-gb)`, `Title (en)`). */
const AROUND =
  /^(?:[cg]:|[a-z]{2}_(?=(?:title|description|category|variant)(?:_|$)))|\((?:product\.metafields[^)]*|[a-z]{2}-[a-z]{2}|en|de|fr|it|es|nl|pt|ja)\)/gi;

/** `Item #` is a number, not the item. */
const NUMBERS: ReadonlySet<string> = new Set([...HEADERS.sku, ...dictionary.fallbacks.sku]);
const SIZES: readonly string[] = [...HEADERS.size, ...dictionary.fallbacks.size];
/** The system of sizes: `Size (EU)`, `Taille FR`. */
const SIZING = /^(?:eu|us|uk|it|fr|de|jp|int) | (?:eu|us|uk|it|fr|de|jp|int)$/i;

/** A header without case, accents (except in Japanese), punctuation, currency, tax, picture number, and what is `AROUND` it. */
export function foldHeader(header: string): string {
  const plain = withoutCurrency(header.replace(AROUND, ''))
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  if (/#\s*$/.test(header) && NUMBERS.has(`${plain} no`)) return `${plain} no`;
  const unnumbered = plain.replace(/ ?\d+$/, '');
  const unsized = plain.replace(SIZING, '');
  return HEADERS.images.includes(unnumbered) ? unnumbered : SIZES.includes(unsized) ? unsized : plain;
}
