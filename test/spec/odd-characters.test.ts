import { idsOf } from '../support/api-client';
import { APOSTROPHES, INVISIBLE, NUMBER_SIGNS, OBJECT_NAMES } from '../support/odd-characters';
import { brandLine, fresh, RUN, useWrittenCatalog } from '../support/written-catalog';

/** contract 5.15, 13.19: texts and names that software is likely to stumble over, wherever a caller may choose them. */
const { writer: api } = useWrittenCatalog();

const WORD_LETTERS = 20;
/** Invisible characters before each letter of a word. */
const HIDDEN = 5;
const IN_WORD = WORD_LETTERS * HIDDEN;
const groups = Array.from({ length: Math.ceil(INVISIBLE.length / IN_WORD) }, (_, at) =>
  INVISIBLE.slice(at * IN_WORD, (at + 1) * IN_WORD),
);
/** A word of its own for each number, with `WORD_LETTERS` letters after the ä. */
const wordOf = (number: number): string =>
  `q${String.fromCharCode(97 + (number % 26)).repeat(3)}${String(number).padStart(3, '0')}ä${'zyxwvutsrqponmlkjihg'.slice(0, WORD_LETTERS)}`;
function hiding(word: string, characters: readonly string[]): string {
  let hidden = 0;
  return word.replace(/(?<=ä.*)./gu, (letter) => {
    hidden += HIDDEN;
    return characters.slice(hidden - HIDDEN, hidden).join('') + letter;
  });
}

/** A brand of this name and a product of it. */
async function written(name: string): Promise<{ brand: string; product: string }> {
  const [brand, product] = [fresh('brand'), fresh('product')];
  const lines = [
    brandLine(brand, name),
    { products: { id: product, category: 'handbags', attributes: { brand } } },
  ];
  expect((await api.write(lines)).body.accepted).toBe(2);
  return { brand, product };
}

/** What each way to search finds of a brand and its product by a text, and the parts of the name that are matched. */
async function foundBy(text: string, { brand, product }: { brand: string; product: string }) {
  const filters = [{ field: 'brand', include: [brand] }];
  const [v3, v1, suggested, facets] = await Promise.all([
    api.query({ query: text }),
    api.v1({ search: text }),
    api.suggest({ query: text }),
    api.query({ filters, facets: [{ field: 'brand', query: text }] }),
  ]);
  const row = suggested.body.data.find(({ id }) => id === brand);
  return {
    v3: idsOf(v3)[0] === product,
    v1: idsOf(v1)[0] === product,
    facet: facets.body.facets?.['brand']?.map(({ id }) => id)[0] === brand,
    matched: row?.matched.map(([from, to]) => row.name.slice(from, to)),
  };
}

// contract 5.15
test.each(groups.map((characters, at) => [at, characters] as const))(
  'invisible characters in rows and in queries make no difference, part %i',
  async (number, characters) => {
    const word = wordOf(number);
    const name = hiding(word, characters);
    expect(name.length).toBeGreaterThan(word.length);
    const odd = await written(name);
    expect(await foundBy(word, odd)).toEqual({ v3: true, v1: true, facet: true, matched: [name] });
    const plainWord = `p${word}`;
    const plain = await written(plainWord);
    const asked = hiding(plainWord, characters);
    expect(await foundBy(asked, plain)).toEqual({ v3: true, v1: true, facet: true, matched: [plainWord] });
  },
);

// contract 5.15
test.each([
  ['apostrophe', [...APOSTROPHES], (sign: string) => `Zoq${sign}sar`, 2],
  ['sign of a number', NUMBER_SIGNS, (sign: string) => `Zuliq ${sign}517`, 3],
] as const)('each %s finds the next, and so every other one', async (_what, signs, nameOf, words) => {
  for (const [at, sign] of signs.entries()) {
    const other = signs[(at + 1) % signs.length] ?? '';
    const rows = await written(nameOf(sign));
    const { matched, facet } = await foundBy(nameOf(other), rows);
    expect({ sign, other, facet, parts: matched?.length }).toEqual({
      sign,
      other,
      facet: true,
      parts: words,
    });
    const filters = [{ field: 'brand', include: [rows.brand] }];
    expect(idsOf(await api.query({ query: nameOf(other), filters }))).toEqual([rows.product]);
    await api.remove(rows.product);
    await api.remove(rows.brand);
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
test('a word that is written together names two that are written apart, and the other way round', async () => {
  const { brand } = await written("Zod's Flapqbag");
  const matched = async (query: string) =>
    (await api.suggest({ query })).body.data.find(({ id }) => id === brand)?.matched;
  expect(await matched('zods')).toEqual([[0, 5]]);
  expect(await matched('zods flapqb')).toEqual([
    [0, 5],
    [6, 12],
  ]);
});

/** Fields begin with a letter. */
const FIELDS = OBJECT_NAMES.filter((name) => /^\p{L}/u.test(name));
const NO_FIELDS = OBJECT_NAMES.filter((name) => !FIELDS.includes(name));
const CATEGORY = `constructor-${RUN}`;
const entityOf = (field: string) => `${field}_${RUN}`;
const productOf = (field: string) => `product_${field}_${RUN}`;
const bare = `product_bare_${RUN}`;

const category = {
  id: CATEGORY,
  name: CATEGORY,
  hierarchy: ['brand', ...FIELDS],
  name_fields: ['brand', ...FIELDS],
};
const tags = FIELDS.map((name) => ({ id: `${name}:${name}`, name, categories: [CATEGORY] }));
const entities = FIELDS.map((field) => ({
  id: entityOf(field),
  kind: field,
  name: `Name ${field}`,
  category: CATEGORY,
}));
const products = FIELDS.map((field) => ({
  id: productOf(field),
  category: CATEGORY,
  attributes: { [field]: entityOf(field) },
  tags: [`${field}:${field}`],
  keywords: [field],
  variants: [{ id: `variant_${field}_${RUN}`, fields: [{ field, name: field }] }],
}));
const estimates = FIELDS.map((field) => ({
  variant: `variant_${field}_${RUN}`,
  source: field,
  region: 'NA',
  A: 10,
}));

// contract 13.19, 15.3
test('records are written whatever their categories, fields, tags and sources are called', async () => {
  const lines = [
    { categories: category },
    ...tags.map((tag) => ({ tags: tag })),
    ...entities.map((entity) => ({ entities: entity })),
    { products: { id: bare, category: CATEGORY, attributes: {}, title: 'Bare' } },
    ...products.map((product) => ({ products: product })),
    ...estimates.map((estimate) => ({ estimates: estimate })),
  ];
  const { status, body } = await api.write(lines);
  expect(body.data.filter((line) => line.status !== 'accepted')).toEqual([]);
  expect([status, body.accepted]).toEqual([200, lines.length]);
});

// contract 13.19, 4.4, 4.15, 4.2
test.each(FIELDS)('%s is filtered by, counted, listed and looked up', async (field) => {
  const filters = (choice: object) => [{ field, ...choice }];
  const asked = { category_id: CATEGORY, page_size: 100 };
  const included = await api.query({
    ...asked,
    filters: filters({ include: [entityOf(field)] }),
    facets: [field],
  });
  expect(idsOf(included)).toEqual([productOf(field)]);
  expect(included.body.facets).toEqual({
    [field]: [{ id: entityOf(field), name: `Name ${field}`, count: 1 }],
  });
  const excluded = await api.query({ ...asked, filters: filters({ exclude: [entityOf(field)] }) });
  expect(idsOf(excluded)).toHaveLength(FIELDS.length);
  expect(idsOf(excluded)).not.toContain(productOf(field));
  expect(idsOf(await api.query({ ...asked, taxonomy_node: field }))).toEqual([entityOf(field)]);
  expect(
    idsOf(await api.query({ ...asked, filters: [{ field: 'tags', include: [`${field}:${field}`] }] })),
  ).toEqual([productOf(field)]);
  expect(idsOf(await api.query({ ...asked, query: field }))).toContain(productOf(field));
  const { body } = await api.item(productOf(field), 'taxonomy,pricing');
  expect(body.data[0]).toMatchObject({
    name: `Name ${field}`,
    attributes: [{ field: 'category' }, { field, id: entityOf(field), name: `Name ${field}` }],
    variants: [{ fields: [{ field, name: field }], pricing: { market_estimates: [{ source: field }] } }],
  });
});

// contract 13.19, 8.3
test.each(FIELDS)('%s is a facet of v1 and v2', async (field) => {
  const asked = { category: CATEGORY, page_size: '100' };
  const [included, excluded, listed] = await Promise.all([
    api.v1({ ...asked, [field]: entityOf(field) }),
    api.v2({ ...asked, [`exclude_${field}`]: entityOf(field) }),
    api.v1({ ...asked, attribute: field }),
  ]);
  expect(idsOf(included)).toEqual([productOf(field)]);
  expect(idsOf(excluded)).toHaveLength(FIELDS.length);
  expect(idsOf(excluded)).not.toContain(productOf(field));
  expect(idsOf(listed)).toEqual([entityOf(field)]);
  expect(included.body.stats.id).toMatchObject({ [entityOf(field)]: 1 });
});

// contract 13.19, 13.6
test.each(NO_FIELDS)('%s is no field, and the record is rejected alone', async (name) => {
  const attributes = JSON.parse(`{"${name}":"brand_x"}`);
  const parents = JSON.parse(`{"${name}":"brand_x"}`);
  const { body } = await api.write([
    { products: { id: `product_x${RUN}`, category: CATEGORY, attributes } },
    { entities: { id: `style_x${RUN}`, kind: 'style', name: 'x', category: CATEGORY, parents } },
    { categories: { ...category, hierarchy: [name] } },
    `{"products":${JSON.stringify({ id: bare, category: CATEGORY, attributes: {}, title: 'Bare' })}}`,
  ]);
  expect(body.data.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'accepted']);
  expect(body.data.map((line) => ('reason' in line ? line.reason : ''))).toEqual([
    expect.stringContaining(name),
    expect.stringContaining(name),
    'is no field name',
    '',
  ]);
});

// contract 13.19
test('the key __proto__ is reported wherever it is and however it is written', async () => {
  const { body } = await api.write([
    `{"products":{"id":"product_x${RUN}","category":"${CATEGORY}","attributes":{},"__proto__":{}}}`,
    `{"products":{"id":"product_x${RUN}","category":"${CATEGORY}","attributes":{"\\u005f_proto__":[]}}}`,
    '{"__proto__":{}}',
  ]);
  expect(body.data.map((line) => ('reason' in line ? [line.field, line.reason] : line))).toEqual([
    ['__proto__', '"__proto__" is no field of this record'],
    ['attributes', 'the key "__proto__" can not be used'],
    ['line', expect.stringContaining('is no object with one key')],
  ]);
});

/** A body that is accepted at each address, and what is refused there in one of its fields. */
const BODIES: readonly (readonly [
  path: string,
  body: object,
  values: (name: string) => readonly object[],
])[] = [
  [
    '/v3/catalog/query',
    { query: 'x' },
    (name) => [{ includes: [name] }, { sort: name }, { category_id: name }, { taxonomy_node: name }],
  ],
  ['/v3/catalog/suggest', { query: 'x' }, (name) => [{ category_id: name }]],
  ['/v3/catalog/items', { ids: ['x'] }, (name) => [{ ids: ['x'], includes: [name] }]],
  ['/v3/vision/identify', { url: 'https://shop.example/x.jpg' }, () => []],
  ['/v3/vision/jobs', { entries: [{ url: 'https://shop.example/x.jpg' }] }, () => []],
  [
    '/v3/webhooks',
    { url: 'https://shop.example', events: ['vision.job.done'] },
    (name) => [{ url: 'https://shop.example', events: [name] }],
  ],
];

// contract 4.1, 16.1
test.each(BODIES)('%s has no parameter and no value of such a name', async (path, taken, valuesOf) => {
  // Each name at one of the addresses.
  const at = BODIES.findIndex((each) => each[0] === path);
  for (const name of OBJECT_NAMES.filter((_, number) => number % BODIES.length === at)) {
    const more = `${JSON.stringify(taken).slice(0, -1)},"${name}":"x"}`;
    const { status, body } = await api.send('POST', path, { raw: more });
    expect([name, status, body]).toEqual([name, 400, expect.objectContaining({ error: 'bad_request' })]);
    // Kinds of rows are called so here.
    const values = valuesOf(name).filter((each) => !('taxonomy_node' in each && FIELDS.includes(name)));
    for (const value of values) expect((await api.send('POST', path, { body: value })).status).toBe(400);
  }
});

// contract 8.1, 4.6, 4.15
test.each(OBJECT_NAMES)('%s finds nothing as an unknown facet, and is no error of v1', async (name) => {
  const filters = [{ field: name, include: ['x'] }];
  const { status, body } = await api.query({ filters, facets: [name] });
  expect([status, body.total_results, Object.entries(body.facets ?? {})]).toEqual([200, 0, [[name, []]]]);
  expect((await api.v1({ [name]: 'x', [`exclude_${name}`]: 'y' })).status).toBe(200);
});
