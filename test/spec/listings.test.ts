import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { nameSortKey } from '../../models/catalog/fold-text';
import { generateBundle } from '../../scripts/lab/generator/generate-bundle';
import type { CatalogSource } from '../support/fixture-data';
import { useService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

/**
 * contract 4.1, 8.1, 3.1, 5: what a bundle says is what listings answer, in every
 * combination of filters, tags, exclusions, orders and pages.
 */
/** More products than a page may have. */
const GENERATED_PRODUCTS = 150;

/** Writes a synthetic catalog below a folder, always the same one, and answers where its files lie. */
async function writeGeneratedCatalog(folder: string): Promise<string> {
  const out = join(folder, 'generated');
  await generateBundle({ seed: 11, products: GENERATED_PRODUCTS, out, images: false });
  return out;
}

/** Bags and watches of fictional maisons, many enough for pages. */
const GENERATED_CATALOG: CatalogSource = {
  name: 'generated',
  sources: ['scripts/lab/generator', 'test/spec/listings.test.ts'],
  write: async (folder) => [await writeGeneratedCatalog(folder)],
};

const service = useService({}, {}, GENERATED_CATALOG);
const RUNS = { numRuns: 100 };
jest.setTimeout(120_000);

let rows: readonly BundleRow[];

beforeAll(async () => {
  rows = readBundleRows(await writeGeneratedCatalog(temporaryFolder()));
});

describe('a page', () => {
  const TOTAL = { total_results: GENERATED_PRODUCTS };

  test('has 20 rows unless it says otherwise', async () => {
    const expected = { results: 20, page: 0, total_pages: 8, ...TOTAL };
    expect((await service.api.query({})).body).toMatchObject(expected);
    expect((await service.api.v1({})).body).toMatchObject(expected);
    expect((await service.api.v2({})).body).toMatchObject(expected);
  });

  test.each([100, 101, 1000])(
    'of %d rows has 100 at most, and pages are counted by that',
    async (page_size) => {
      const expected = { results: 50, page: 1, total_pages: 2, ...TOTAL };
      expect((await service.api.query({ page_size, page: 1 })).body).toMatchObject(expected);
      expect((await service.api.v1({ page_size: String(page_size), page: '1' })).body).toMatchObject(
        expected,
      );
      expect((await service.api.v2({ page_size, page: 1 })).body).toMatchObject(expected);
    },
  );
});

interface FilterObject {
  readonly field: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

type Sort = 'popularity_desc' | 'popularity_asc' | 'name_asc' | 'name_desc';

/** The ids of a listing by reading every row. */
function listed(
  node: string,
  categories: readonly string[],
  filters: readonly FilterObject[],
  sort: Sort,
): string[] {
  const carries = (row: BundleRow, field: string) => (id: string) => row.facets.get(field)?.has(id) ?? false;
  const holds =
    (row: BundleRow) =>
    ({ field, include, exclude }: FilterObject) =>
      (include.length === 0 || include.some(carries(row, field))) && !exclude.some(carries(row, field));
  const sign = sort.endsWith('_desc') ? -1 : 1;
  const order = (left: BundleRow, right: BundleRow) =>
    sort.startsWith('name')
      ? byCodePoint(nameSortKey(left.name), nameSortKey(right.name))
      : left.popularity - right.popularity;
  return rows
    .filter((row) => row.kind === node && categories.includes(row.category) && filters.every(holds(row)))
    .sort((left, right) => sign * order(left, right) || byCodePoint(left.id, right.id))
    .map(({ id }) => id);
}

const byCodePoint = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

const SORTS: readonly Sort[] = ['popularity_desc', 'popularity_asc', 'name_asc', 'name_desc'];
const TAGS = ['material:exotic', 'material:textile', 'material:precious-metal', 'edition:runway'];
const FIELDS = ['brand', 'model', 'style', 'family', 'case', 'dial', 'colour', 'material', 'category'];
const NODES = ['product', 'product', 'product', 'brand', 'model', 'style', 'dial', 'category'];

/** Values of a field, mostly some that many rows have, some that nobody has. */
const valuesOf = (field: string): fc.Arbitrary<string[]> => {
  const known =
    field === 'tags' ? TAGS : [...new Set(rows.flatMap((row) => [...(row.facets.get(field) ?? [])]))].sort();
  const value = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, fc.constant(`${field}_nobody`));
  return fc.uniqueArray(field === 'tags' ? fc.constantFrom(...TAGS) : value, { minLength: 1, maxLength: 12 });
};

const filterObject = (): fc.Arbitrary<FilterObject> =>
  fc
    .constantFrom(...FIELDS, 'tags', 'tags')
    .chain((field) =>
      fc.oneof(
        fc.record({ field: fc.constant(field), include: valuesOf(field), exclude: fc.constant([]) }),
        fc.record({ field: fc.constant(field), include: fc.constant([]), exclude: valuesOf(field) }),
        fc.record({ field: fc.constant(field), include: valuesOf(field), exclude: valuesOf(field) }),
      ),
    );

const paging = {
  page: fc.nat(3),
  page_size: fc.integer({ min: 1, max: 120 }),
  sort: fc.constantFrom(...SORTS),
};

/** What an answer must say of its page. */
function pageOf(ids: readonly string[], page: number, pageSize: number) {
  const size = Math.min(pageSize, 100);
  const shown = ids.slice(page * size, (page + 1) * size);
  const totals = {
    total_results: ids.length,
    total_pages: Math.ceil(ids.length / size),
    results: shown.length,
    page,
  };
  return { ...totals, data: shown.map((id) => expect.objectContaining({ id })) };
}

test('of v3 is the rows that pass every filter object, in order', async () => {
  const query = fc.record({
    node: fc.constantFrom(...NODES),
    filters: fc.array(filterObject(), { maxLength: 3 }),
    ...paging,
  });
  await fc.assert(
    fc.asyncProperty(query, async ({ node, filters, page, page_size, sort }) => {
      const { body } = await service.api.query({ taxonomy_node: node, filters, page, page_size, sort });
      const ids = listed(node, ['handbags', 'watches'], filters, sort);
      expect(body).toMatchObject({ ...pageOf(ids, page, page_size), sort_applied: sort });
      expect(body.credits_used).toBe(body.results > 0 ? 1 : 0);
    }),
    RUNS,
  );
});

test('of v1 and v2 is the rows with any value of each parameter and no excluded one', async () => {
  const facets = fc.uniqueArray(
    fc.constantFrom(...FIELDS.filter((field) => field !== 'category')).chain((field) =>
      fc.record({
        field: fc.constant(field),
        include: fc.oneof(valuesOf(field), fc.constant([])),
        exclude: fc.oneof(valuesOf(field), fc.constant([])),
      }),
    ),
    { maxLength: 2, selector: ({ field }) => field },
  );
  const query = fc.record({
    attribute: fc.constantFrom(...NODES),
    categories: fc.subarray(['handbags', 'watches']),
    facets,
    tags: fc.oneof(fc.constant([]), valuesOf('tags')),
    exclude_tags: fc.oneof(fc.constant([]), valuesOf('tags')),
    ...paging,
  });
  await fc.assert(
    fc.asyncProperty(query, async ({ attribute, categories, facets: given, tags, exclude_tags, ...rest }) => {
      const filters = [...given, { field: 'tags', include: tags, exclude: exclude_tags }];
      const parameters = Object.fromEntries([
        ['attribute', attribute],
        ['category', categories.join(',')],
        ['tags', tags.join(',')],
        ['exclude_tags', exclude_tags.join(',')],
        ...given.flatMap(({ field, include, exclude }) => [
          [field, include.join(',')],
          [`exclude_${field}`, exclude.join(',')],
        ]),
        ...Object.entries(rest).map(([name, value]) => [name, String(value)]),
      ]) as Record<string, string>;
      const ids = listed(
        attribute,
        categories.length > 0 ? categories : ['handbags', 'watches'],
        filters,
        rest.sort,
      );
      const expected = { ...pageOf(ids, rest.page, rest.page_size), sort_applied: rest.sort };
      const [v1, v2] = [await service.api.v1(parameters), await service.api.v2(parameters)];
      expect(v1.body).toMatchObject(expected);
      expect(v2.body).toMatchObject(expected);
    }),
    { numRuns: 150 },
  );
});

/** A row of the catalog as a bundle says it is, by the rules of contract 13, 3.1, without a database. */
interface BundleRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string;
  readonly name: string;
  readonly popularity: number;
  /** Ids by field, tags among them. */
  readonly facets: ReadonlyMap<string, ReadonlySet<string>>;
}

interface CategoryRecord {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: readonly string[];
  readonly name_fields: readonly string[];
  readonly popularity: number;
}

interface EntityRecord {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  readonly parents: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly popularity: number;
}

interface ProductRecord {
  readonly id: string;
  readonly category: string;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly tags: readonly string[];
  readonly popularity: number;
}

/** Every row of a bundle whose records are all accepted and none deleted. */
function readBundleRows(folder: string): BundleRow[] {
  const records = <Record>(name: string): Record[] =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record);
  const categories = records<CategoryRecord>('categories');
  const entities = records<EntityRecord>('entities');
  const rowsOf = (category: CategoryRecord): BundleRow[] => [
    { ...category, kind: 'category', category: category.id, facets: facetsOf({ category: category.id }, []) },
    ...entities
      .filter((entity) => entity.category === category.id && category.hierarchy.includes(entity.kind))
      .map((entity) => entityRow(entity, entities)),
    ...records<ProductRecord>('products')
      .filter((product) => product.category === category.id)
      .map((product) => productRow(product, category, new Map(entities.map((each) => [each.id, each])))),
  ];
  return categories.flatMap(rowsOf);
}

/** Its category, its parents and itself; a model carries the tags that all of its styles carry. */
function entityRow(entity: EntityRecord, all: readonly EntityRecord[]): BundleRow {
  const { id, kind, category, name, popularity, parents } = entity;
  const styles = all.filter((each) => each.kind === 'style' && each.parents['model'] === id);
  const [first, ...others] = styles.map((style) => style.tags ?? []);
  const shared = (first ?? []).filter((tag) => others.every((tags) => tags.includes(tag)));
  const tags = kind === 'model' ? shared : (entity.tags ?? []);
  return {
    id,
    kind,
    category,
    name,
    popularity,
    facets: facetsOf({ category, ...parents, [kind]: id }, tags),
  };
}

/** Its category and attributes; it carries its own tags and those of its style. */
function productRow(
  { id, category, attributes, tags, popularity }: ProductRecord,
  { name_fields }: CategoryRecord,
  entities: ReadonlyMap<string, EntityRecord>,
): BundleRow {
  const first = (field: string) => entities.get([attributes[field] ?? []].flat()[0] ?? '');
  const names = name_fields.map((field) => first(field)?.name).filter((name) => name !== undefined);
  const carried = [...tags, ...(first('style')?.tags ?? [])];
  const facets = facetsOf({ category, ...attributes }, carried);
  return { id, kind: 'product', category, name: names.join(' '), popularity, facets };
}

const facetsOf = (
  attributes: Readonly<Record<string, string | readonly string[]>>,
  tags: readonly string[],
): Map<string, Set<string>> =>
  new Map(
    [...Object.entries(attributes), ['tags', tags] as const].map(([field, ids]) => [
      field,
      new Set([ids].flat()),
    ]),
  );
