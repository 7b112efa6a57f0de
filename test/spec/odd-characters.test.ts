import { idsOf } from '../support/api-client';
import { brandLine, fresh, RUN } from '../support/record-lines';
import { useWrittenCatalog } from '../support/written-catalog';

/** contract 5.15, 13.19: texts and names that software is likely to stumble over, wherever a caller may choose them. */
const { writer: api } = useWrittenCatalog();

async function written(name: string): Promise<{ brand: string; product: string }> {
  const [brand, product] = [fresh('brand'), fresh('product')];
  const products = { id: product, category: 'handbags', attributes: { brand } };
  expect((await api.write([brandLine(brand, name), { products }])).body.accepted).toBe(2);
  return { brand, product };
}

// contract 5.11, 5.15; `test/unit/folded-text.test.ts` has every such character.
test.each<[name: string, query: string, matched: string[]]>([
  ['Qa\u00adb\u200d\u2060acus', 'qabacus', ['Qa\u00adb\u200d\u2060acus']],
  ['Qubacus', 'q\ufeffu\ufe0fba\u200fcus\u{e0001}', ['Qubacus']],
  ['Zoqab\u00b4sar', 'zoqab\u2019sar', ['Zoqab', 'sar']],
  ['Zuliqa N° 517', 'zuliqa № 517', ['Zuliqa', 'N°', '517']],
  ["Zod's Flapqbag", 'zods', ["Zod's"]],
  ["Zed's Flapzbag", 'zeds flapzb', ["Zed's", 'Flapzb']],
])('%j is found by %j, whichever way it is searched', async (name, query, matched) => {
  const { brand, product } = await written(name);
  const filters = [{ field: 'brand', include: [brand] }];
  const found = await api.query({ query, filters, facets: [{ field: 'brand', query }] });
  for (const answer of [found, await api.query({ query }), await api.v1({ search: query })])
    expect(idsOf(answer)[0]).toBe(product);
  if (!name.includes("'")) expect(found.body.facets?.['brand']?.[0]?.id).toBe(brand);
  const row = (await api.suggest({ query })).body.data.find(({ id }) => id === brand);
  expect(row?.matched.map(([from, to]) => name.slice(Number(from), to))).toEqual(matched);
});

// contract 5.9, 5.15
test('synonyms match whatever invisible characters are in them or in the query', async () => {
  const { product } = await written('Wuqqelbag');
  const synonym = { id: fresh('syn'), from: ['hu\u00ad\u200dbe\u200flit’s'], to: ['wuqqel\u2060bag'] };
  expect((await api.write([{ synonyms: synonym }])).body.accepted).toBe(1);
  expect(idsOf(await api.query({ query: "hube\u00adlit's" }))[0]).toBe(product);
});

/** Names that every object has, or that languages and libraries look for; fields begin with a letter. */
const FIELDS = 'constructor toString hasOwnProperty valueOf prototype then toJSON length'.split(' ');
const NO_FIELDS = ['__proto__', '__defineGetter__'];
const CATEGORY = `constructor-${RUN}`;
const entityOf = (field: string) => `${field}_${RUN}`;
const productOf = (field: string) => `product_${field}_${RUN}`;
const hierarchy = ['brand', ...FIELDS];
const category = { id: CATEGORY, name: CATEGORY, hierarchy, name_fields: hierarchy };
const bare = { products: { id: `product_bare_${RUN}`, category: CATEGORY, attributes: {}, title: 'Bare' } };

// contract 13.19, 15.3
test('records are written whatever the names of their categories, fields, tags and sources', async () => {
  const lines = [
    { categories: category },
    ...FIELDS.map((name) => ({ tags: { id: `${name}:${name}`, name, categories: [CATEGORY] } })),
    ...FIELDS.map((field) => ({
      entities: { id: entityOf(field), kind: field, name: `Name ${field}`, category: CATEGORY },
    })),
    bare,
    ...FIELDS.map((field) => ({
      products: {
        ...{ id: productOf(field), category: CATEGORY, attributes: { [field]: entityOf(field) } },
        ...{ tags: [`${field}:${field}`], keywords: [field] },
        variants: [{ id: `variant_${field}_${RUN}`, fields: [{ field, name: field }] }],
      },
    })),
    ...FIELDS.map((field) => ({
      estimates: { variant: `variant_${field}_${RUN}`, source: field, region: 'NA', A: 10 },
    })),
  ];
  const { status, body } = await api.write(lines);
  expect(body.data.filter((line) => line.status !== 'accepted')).toEqual([]);
  expect([status, body.accepted]).toEqual([200, lines.length]);
});

// contract 13.19, 4.2, 4.4, 4.15, 8.3
test.each(FIELDS)('%s is filtered by, counted, listed and looked up, also in v1 and v2', async (field) => {
  const [entity, product, name] = [entityOf(field), productOf(field), `Name ${field}`];
  const asked = { category_id: CATEGORY, page_size: 100 };
  const included = await api.query({ ...asked, filters: [{ field, include: [entity] }], facets: [field] });
  expect(included.body.facets).toEqual({ [field]: [{ id: entity, name, count: 1 }] });
  const legacy = { category: CATEGORY, page_size: '100' };
  const v1 = await api.v1({ ...legacy, [field]: entity });
  expect(v1.body.stats.id).toMatchObject({ [entity]: 1 });
  const tagged = [{ field: 'tags', include: [`${field}:${field}`] }];
  for (const found of [included, v1, await api.query({ ...asked, filters: tagged })])
    expect(idsOf(found)).toEqual([product]);
  for (const excluded of [
    await api.query({ ...asked, filters: [{ field, exclude: [entity] }] }),
    await api.v2({ ...legacy, [`exclude_${field}`]: entity }),
  ])
    expect(idsOf(excluded).sort()).toEqual(
      [...FIELDS.filter((each) => each !== field).map(productOf), bare.products.id].sort(),
    );
  for (const listed of [
    await api.query({ ...asked, taxonomy_node: field }),
    await api.v1({ ...legacy, attribute: field }),
  ])
    expect(idsOf(listed)).toEqual([entity]);
  expect(idsOf(await api.query({ ...asked, query: field }))).toContain(product);
  const { body } = await api.item(product, 'taxonomy,pricing');
  expect(body.data[0]).toMatchObject({
    name,
    attributes: [{ field: 'category' }, { field, id: entity, name }],
    variants: [{ fields: [{ field, name: field }], pricing: { market_estimates: [{ source: field }] } }],
  });
});

// contract 13.19, 13.6
test.each(NO_FIELDS)('%s is not a field, and the record is rejected alone', async (name) => {
  const named = JSON.parse(`{"${name}":"brand_x"}`);
  const { body } = await api.write([
    { products: { id: `product_x${RUN}`, category: CATEGORY, attributes: named } },
    { entities: { id: `style_x${RUN}`, kind: 'style', name: 'x', category: CATEGORY, parents: named } },
    { categories: { ...category, hierarchy: [name] } },
    bare,
  ]);
  const about = expect.stringContaining(name);
  const reasons = [about, about, 'is no field name', undefined];
  expect(body.data.map(({ reason }) => reason)).toEqual(reasons);
});

// contract 13.19
test('the key __proto__ is reported wherever it is and however it is written', async () => {
  const product = `{"products":{"id":"product_x${RUN}","category":"${CATEGORY}","attributes":`;
  const lines = [`${product}{},"__proto__":{}}}`, `${product}{"\\u005f_proto__":[]}}}`, '{"__proto__":{}}'];
  const { body } = await api.write(lines);
  expect(body.data.map(({ field, reason }) => [field, reason])).toEqual([
    ['__proto__', '"__proto__" is no field of this record'],
    ['attributes', 'the key "__proto__" cannot be used'],
    ['line', expect.stringContaining('must be an object with one key')],
  ]);
});

// contract 4.1, 4.6, 4.15, 8.1
test.each([...FIELDS, ...NO_FIELDS])(
  '%s is not a parameter or a value of one, finds nothing as a facet, and is not an error in v1',
  async (name) => {
    const wrong = [{ includes: [name] }, { sort: name }, { category_id: name }, { match: name }];
    for (const raw of [`{"query":"x","${name}":"x"}`, ...wrong.map((each) => JSON.stringify(each))])
      expect([raw, (await api.send('POST', '/v3/catalog/query', { raw })).status]).toEqual([raw, 400]);
    const { status, body } = await api.query({ filters: [{ field: name, include: ['x'] }], facets: [name] });
    expect([status, body.total_results, Object.entries(body.facets ?? {})]).toEqual([200, 0, [[name, []]]]);
    expect((await api.v1({ [name]: 'x', [`exclude_${name}`]: 'y' })).status).toBe(200);
  },
);
