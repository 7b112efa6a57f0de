import { idsOf } from '../support/api-client';
import { APOSTROPHES, INVISIBLE, NUMBER_SIGNS, OBJECT_NAMES } from '../support/odd-characters';
import { brandLine, fresh, RUN, useWrittenCatalog } from '../support/written-catalog';

/** contract 5.15, 13.19: texts and names that software is likely to stumble over, wherever a caller may choose them. */
const { writer: api } = useWrittenCatalog();

const WORD_LETTERS = 20;
/** Invisible characters before each letter of a word. */
const HIDDEN = 5;
const IN_WORD = WORD_LETTERS * HIDDEN;
const groups = Array.from(
  { length: Math.ceil(INVISIBLE.length / IN_WORD) },
  (_, at) => [at, INVISIBLE.slice(at * IN_WORD, (at + 1) * IN_WORD)] as const,
);
/** A word of its own for each number, with `WORD_LETTERS` letters after the ä. */
const wordOf = (number: number): string =>
  `q${String.fromCharCode(97 + (number % 26)).repeat(3)}${String(number).padStart(3, '0')}ä${'zyxwvutsrqponmlkjihg'}`;
function hiding(word: string, characters: readonly string[]): string {
  let hidden = 0;
  return word.replace(/(?<=ä.*)./gu, (letter) => {
    hidden += HIDDEN;
    return characters.slice(hidden - HIDDEN, hidden).join('') + letter;
  });
}

/** A brand of this name and one of its products. */
async function written(name: string): Promise<{ brand: string; product: string }> {
  const [brand, product] = [fresh('brand'), fresh('product')];
  const products = { id: product, category: 'handbags', attributes: { brand } };
  expect((await api.write([brandLine(brand, name), { products }])).body.accepted).toBe(2);
  return { brand, product };
}

const onlyBrand = (brand: string) => [{ field: 'brand', include: [brand] }];

/** What each way to search finds of a brand and its product by a text, and the parts of the name that are matched. */
async function foundBy(text: string, { brand, product }: { brand: string; product: string }) {
  const facets = [{ field: 'brand', query: text }];
  const [v3, v1, suggested, faceted] = await Promise.all([
    api.query({ query: text }),
    api.v1({ search: text }),
    api.suggest({ query: text }),
    api.query({ filters: onlyBrand(brand), facets }),
  ]);
  const row = suggested.body.data.find(({ id }) => id === brand);
  return {
    rows: [v3, v1].map((answer) => idsOf(answer)[0] === product),
    facet: faceted.body.facets?.['brand']?.[0]?.id === brand,
    matched: row?.matched.map(([from, to]) => row.name.slice(Number(from), to)),
  };
}

// contract 5.15
test.each(groups)(
  'invisible characters in rows and in queries make no difference, part %i',
  async (number, characters) => {
    const [word, other] = [wordOf(number), `p${wordOf(number)}`];
    const name = hiding(word, characters);
    expect(name.length).toBeGreaterThan(word.length);
    const found = { rows: [true, true], facet: true };
    expect(await foundBy(word, await written(name))).toEqual({ ...found, matched: [name] });
    const plain = await written(other);
    expect(await foundBy(hiding(other, characters), plain)).toEqual({ ...found, matched: [other] });
  },
);

// contract 5.15
test.each([
  ['apostrophe', [...APOSTROPHES], (own: string, sign: string) => `Zoq${own}${sign}sar`, 2],
  ['sign of a number', NUMBER_SIGNS, (own: string, sign: string) => `Zuliq${own} ${sign}517`, 3],
] as const)('each %s finds the next, and so every other one', async (_what, signs, nameOf, parts) => {
  /** A word of its own for each sign, two letters apart from all others. */
  const ownOf = (at: number) => String.fromCharCode(97 + (at % 26), 97 + (at % 25));
  const rows = signs.map((sign, at) => ({
    brand: fresh('brand'),
    product: fresh('product'),
    name: nameOf(ownOf(at), sign),
  }));
  const lines = rows.flatMap(({ brand, product, name }) => [
    brandLine(brand, name),
    { products: { id: product, category: 'handbags', attributes: { brand } } },
  ]);
  expect((await api.write(lines)).body.accepted).toBe(lines.length);
  for (const [at, { brand, product }] of rows.entries()) {
    const other = signs[(at + 1) % signs.length] ?? '';
    const query = nameOf(ownOf(at), other);
    const found = await api.query({ query, filters: onlyBrand(brand), facets: [{ field: 'brand', query }] });
    const suggested = (await api.suggest({ query })).body.data.find(({ id }) => id === brand);
    const facet = found.body.facets?.['brand']?.[0]?.id;
    const seen = [at, other, idsOf(found), facet, suggested?.matched.length];
    expect(seen).toEqual([at, other, [product], brand, parts]);
  }
});

// contract 5.9, 5.15
test('synonyms match whatever invisible characters are in them or in the query', async () => {
  const { product } = await written('Wuqqelbag');
  const synonym = { id: fresh('syn'), from: ['hu\u00ad\u200dbe\u200flit’s'], to: ['wuqqel\u2060bag'] };
  expect((await api.write([{ synonyms: synonym }])).body.accepted).toBe(1);
  expect(idsOf(await api.query({ query: "hube\u00adlit's" }))[0]).toBe(product);
});

// contract 5.11
test('a joined word names two separate ones, and the other way round', async () => {
  const { brand } = await written("Zod's Flapqbag");
  const matched = async (query: string) =>
    (await api.suggest({ query })).body.data.find(({ id }) => id === brand)?.matched;
  expect(await matched('zods')).toEqual([[0, 5]]);
  const both = [0, 5, 6, 12];
  expect((await matched('zods flapqb'))?.flat()).toEqual(both);
});

/** Fields begin with a letter. */
const FIELDS = OBJECT_NAMES.filter((name) => /^\p{L}/u.test(name));
const NO_FIELDS = OBJECT_NAMES.filter((name) => !FIELDS.includes(name));
const CATEGORY = `constructor-${RUN}`;
const entityOf = (field: string) => `${field}_${RUN}`;
const productOf = (field: string) => `product_${field}_${RUN}`;
const hierarchy = ['brand', ...FIELDS];
const category = { id: CATEGORY, name: CATEGORY, hierarchy, name_fields: hierarchy };
const bare = { products: { id: `product_bare_${RUN}`, category: CATEGORY, attributes: {}, title: 'Bare' } };

// contract 13.19, 15.3
test('records are written whatever the names of their categories, fields, tags and sources', async () => {
  const entities = FIELDS.map((field) => ({
    id: entityOf(field),
    kind: field,
    name: `Name ${field}`,
    category: CATEGORY,
  }));
  const lines = [
    { categories: category },
    ...FIELDS.map((name) => ({ tags: { id: `${name}:${name}`, name, categories: [CATEGORY] } })),
    ...entities.map((entity) => ({ entities: entity })),
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
  ]) {
    expect(idsOf(excluded)).toHaveLength(FIELDS.length);
    expect(idsOf(excluded)).not.toContain(product);
  }
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
  const reasons = body.data.map(({ status, reason }) => [status, reason]);
  expect(reasons).toEqual([
    ['rejected', about],
    ['rejected', about],
    ['rejected', 'is no field name'],
    ['accepted', undefined],
  ]);
});

// contract 13.19
test('the key __proto__ is reported wherever it is and however it is written', async () => {
  const product = `{"products":{"id":"product_x${RUN}","category":"${CATEGORY}","attributes":`;
  const lines = [`${product}{},"__proto__":{}}}`, `${product}{"\\u005f_proto__":[]}}}`, '{"__proto__":{}}'];
  const { body } = await api.write(lines);
  expect(body.data.map(({ field, reason }) => [field, reason])).toEqual([
    ['__proto__', '"__proto__" is no field of this record'],
    ['attributes', 'the key "__proto__" can not be used'],
    ['line', expect.stringContaining('must be an object with one key')],
  ]);
});

// contract 4.1, 4.6, 4.15, 8.1
test.each(OBJECT_NAMES)(
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
