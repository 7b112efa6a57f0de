import { currencyIn, withoutCurrency } from './prices';

/**
 * The meaning of a column of a shop's table, and the headers recognised for it: folded by `foldHeader`, in the spellings of
 * Shopify, Google Merchant and shops in six languages. `images` and `keywords` take several columns, the others the first.
 */
const HEADERS = {
  parent: '',
  group: 'handle|url handle|item group id|group id|parent id|parent sku|product handle',
  id: 'id|product id|item id|offer id|produkt id|identifiant|identificador',
  sku: 'sku|variant sku|article number|artikelnummer|artikelnr|artikel nr|art nr|item number|stock number|custom label sku|product code sku|reference|referenz|ref|code article|codice|codice articolo|referencia|referentie',
  title:
    'title|name|item name|product name|product title|titel|bezeichnung|artikelbezeichnung|artikelname|produktname|produktbezeichnung|nom|nom du produit|titre|designation|libelle|nome|titolo|denominazione|nombre|titulo|naam|productnaam',
  description:
    'description|product description|body html|body|beschreibung|descrizione|descripcion|descricao|omschrijving',
  url: 'link|url|product url|product link|permalink|produkt url|produktlink|lien|enlace|collegamento|webadresse',
  brand:
    'brand|brands|brand name|vendor|manufacturer|maker|designer|marke|hersteller|marque|fabricant|marca|fabricante|produttore|merk',
  category:
    'category|product category|google product category|kategorie|produktkategorie|warengruppe|categorie|categoria',
  categories: 'categories|categories x y z',
  type: 'type|product type|typ|produkttyp|produktart|type de produit|tipo|tipo di prodotto|tipo de producto',
  model: 'model|modell|modele|modello|modelo',
  style: '',
  keywords:
    'tags|keywords|labels|mpn|gtin|schlagworte|stichworte|mots cles|etiquettes|etiquetas|parole chiave',
  images:
    'image|images|image src|image link|additional image link|image url|product image url|image urls x y z|item photo url|picture|pictures|photo|photos|bild|bilder|bild url|bildlink|foto|fotos|immagine|immagini|imagen|imagenes|afbeelding',
  image_position: 'image position',
  variant_image: 'variant image|variant image url',
  price:
    'price|variant price|regular price|start price|preis|verkaufspreis|vk preis|prix|prezzo|precio|preco|prijs',
  sale_dates: 'sale price effective date',
  sale_price:
    'sale price|special price|angebotspreis|sonderpreis|prix promo|prix solde|prezzo scontato|precio oferta',
  currency: 'currency|wahrung|devise|monnaie|valuta|moneda|moeda',
  size: 'size|grosse|taille|taglia|talla|tamanho|maat',
  colour: 'color|colour|farbe|couleur|colore|cor|kleur',
  material: 'material|materiau|matiere|materiale|materiaal',
  gender: 'gender|target gender|geschlecht|genre|sexe|genere|genero|geslacht',
  condition: 'condition|zustand|etat|condizione|estado|conditie',
  availability: 'availability|verfugbarkeit|disponibilite|disponibilita|disponibilidad|beschikbaarheid',
  status: 'status',
  published: 'published|published on online store|square online item visibility|product visible|active 0 1',
  option1_name: 'option1 name|attribute 1 name|option name 1',
  option1_value: 'option1 value|attribute 1 value s|option value 1',
  option2_name: 'option2 name|attribute 2 name|option name 2',
  option2_value: 'option2 value|attribute 2 value s|option value 2',
  option3_name: 'option3 name|attribute 3 name|option name 3',
  option3_value: 'option3 value|attribute 3 value s|option value 3',
} as const;

export type TableField = keyof typeof HEADERS;
const FIELDS = Object.keys(HEADERS) as TableField[];
const isField = (name: string): name is TableField => Object.hasOwn(HEADERS, name);

const FIELD_OF_HEADER = new Map(
  FIELDS.flatMap((field) => HEADERS[field].split('|').map((each) => [each, field])),
);
const LISTS: ReadonlySet<TableField> = new Set(['images', 'keywords']);

export const TABLE_FORMATS = ['shopify', 'google', 'woocommerce', 'square', 'ebay', 'generic'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Exports with headers that mean something else in other tables: a header that only they have; and the columns of fields, '' for none. */
const SYSTEMS: { readonly [Format in TableFormat]?: readonly [string, { [Field in TableField]?: string }] } =
  {
    woocommerce: ['tax status', { parent: 'parent', group: 'sku|id', sku: 'sku', type: '' }],
    square: [
      'square online item visibility',
      { group: 'reference handle|item name', title: 'item name', id: 'token', url: '' },
    ],
    ebay: ['ebay category 1 name', { id: 'item number', category: 'ebay category 1 name' }],
  };

export interface TableColumns {
  readonly format: TableFormat;
  /** The columns of a field, best first. */
  readonly of: ReadonlyMap<TableField, readonly string[]>;
  /** Columns that go to a product's own `data`. */
  readonly data: readonly string[];
  readonly unread: readonly string[];
  /** The currency in the header of the prices, as in "Price (EUR)". */
  readonly currency: string | null;
}

/** A map file: a field, or `data`, to the name of its column or columns, or null for none; `"data": "*"` takes all others. */
export type ColumnMap = Readonly<Record<string, string | readonly string[] | null>>;

/** The meaning of the columns, by the map, then by their headers. @throws Error for an unknown field or column in the map */
export function readColumns(
  header: readonly string[],
  format: TableFormat | null = null,
  map: ColumnMap = {},
): TableColumns {
  const of = new Map<TableField, string[]>();
  const used = new Set<string>();
  const system =
    format ?? TABLE_FORMATS.find((name) => header.map(foldHeader).includes(SYSTEMS[name]?.[0] ?? '-'));
  const known = { ...(system && columnsOfSystem(system, header)), ...map };
  for (const [name, wanted] of Object.entries(known)) {
    if (name !== 'data' && !isField(name)) throw new Error(unknownField(name));
    if (name === 'data') continue;
    of.set(name, columnsNamed(wanted, header, name));
    for (const column of of.get(name) ?? []) used.add(column);
  }
  for (const column of header) {
    const field = FIELD_OF_HEADER.get(foldHeader(column));
    if (used.has(column) || !field || Object.hasOwn(known, field)) continue;
    const columns = of.get(field) ?? [];
    if (columns.length > 0 && !LISTS.has(field)) continue;
    of.set(field, [...columns, column]);
    used.add(column);
  }
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
    currency: (of.get('price') ?? []).map(currencyIn).find((code) => code !== null) ?? null,
  };
}

/** The fields of a system whose columns the table has, and those that it must not have. */
const columnsOfSystem = (system: TableFormat, header: readonly string[]): ColumnMap =>
  Object.fromEntries(
    Object.entries(SYSTEMS[system]?.[1] ?? {}).flatMap(([field, names]) => {
      const columns = names.split('|').flatMap((name) => header.filter((each) => foldHeader(each) === name));
      return columns.length > 0 || names === '' ? [[field, columns]] : [];
    }),
  );

export const isKnownHeader = (cell: string): boolean =>
  foldHeader(cell) !== '' && FIELD_OF_HEADER.has(foldHeader(cell));

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

const formatOf = (of: ReadonlyMap<TableField, readonly string[]>): TableFormat => {
  const has = (field: TableField, header: RegExp) =>
    of.get(field)?.some((column) => header.test(foldHeader(column)));
  const isShopify = has('price', /^variant price$/) || has('images', /^(?:image src|product image url)$/);
  if (has('group', /^(?:url )?handle$/) && isShopify) return 'shopify';
  return has('images', /^image link$/) && has('id', /^id$/) ? 'google' : 'generic';
};

/** A header without case, accents, punctuation, namespace, metafield, currency, and picture number. */
export function foldHeader(header: string): string {
  const plain = withoutCurrency(header.replace(/\(product\.metafields[^)]*\)/i, '').replace(/^[cg]:/i, ''))
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const unnumbered = plain.replace(/ ?\d+$/, '');
  return HEADERS.images.split('|').includes(unnumbered) ? unnumbered : plain;
}
