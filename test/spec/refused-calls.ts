/** A grey square of 32 pixels. */
const PHOTO =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEWAgICQdD0xAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';

export interface Refusals {
  readonly call: string;
  /** A body, or the parameters of a GET, that is accepted unchanged. */
  readonly taken: object;
  /** Values that are refused in its place, by the property that the refusal names. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
  /** Bodies that are refused as a whole, by the property that the refusal names. */
  readonly bodies?: Readonly<Record<string, readonly object[]>>;
  /** Properties that are refused for a reason that no schema can state. */
  readonly beyondSchema?: string;
}

const LONG = 'a'.repeat(513);
const filters = (...given: readonly object[]) => ({ filters: given });
const stone = ['material:exotic', 'material:stone'];
const hermes = { field: 'brand', include: ['brand_hermes'] };
const QUERY_FILTERS = {
  // contract 4.3
  'filters.0.field': [filters({ ...hermes, field: 'keywords' }), filters({ include: ['a'] })],
  'filters.0.include': [
    filters({ field: 'brand' }),
    ...[[], 'brand_hermes', null].map((include) => filters({ field: 'brand', include })),
  ],
  'filters.0.mode': [filters({ ...hermes, mode: 'any' })],
  // contract 4.7
  'filters.0.ids': [filters({ ...hermes, ids: ['brand_hermes'] })],
  // contract 3.3
  'filters.1.include': [filters(hermes, { field: 'tags', include: stone })],
  'filters.1.exclude': [filters(hermes, { field: 'tags', exclude: stone })],
  'filters.1.ids': [filters(hermes, { field: 'tags', ids: stone })],
  // contract 4.3
  'filters.5.exclude': [filters(...Array(6).fill({ field: 'brand', exclude: Array(1000).fill('a') }))],
};
const SCHEMES = ['ftp://p.example/a.jpg', 'file:///etc/passwd', 'data:image/png;base64,AAAA'];
const URLS = [null, '', '/a.jpg', 'http://', ...SCHEMES, 'https://user:secret@p.example/a.jpg'];
const PRIVATE = ['localhost', '10.0.0.1', '[::1]', '169.254.169.254'].map((host) => `https://${host}/loupe`);
const BASE64 = ['', ' \n', 'data:image/png;base64,', 'data:image/png,abcd', 'not base64!', 'AA==AAAA', 5];
const REGIONS = {
  'region.width': { x: 0.5, y: 0, width: 0.6, height: 1 },
  'region.x': { x: -0.1, y: 0, width: 0.5, height: 1 },
  'region.height': { x: 0, y: 0, width: 0.5 },
};
const inPhoto = { base64: PHOTO };
const inside = { url: 'http://127.0.0.1/bag.jpg' };
const hook = { url: 'https://shop.example/loupe', events: ['model.drift'] };
const newKey = { name: 'a', versions: ['v3'] };
/** The last two are of the years 0 and 10000 in UTC. */
const NO_TIMES = ['soon', '2026-02-30', '0001-01-01T00:00:00+12:00', '9999-12-31T23:59:59-12:00'];

/** `ACCOUNT` in an address is an account of the test. */
export const REFUSALS: readonly Refusals[] = [
  {
    call: 'POST /v3/catalog/query',
    taken: { query: 'é'.repeat(512), ...filters(hermes) },
    values: {
      foo: [1],
      query: [5, null, LONG],
      category_id: [null, 'shoes'],
      filters: [null, {}],
      taxonomy_node: ['colour', null],
      // contract 4.8
      page: [-1, 1.5, '1'],
      page_size: [0, 0.5, null],
      sort: ['price_asc', null],
      // contract 5.18
      match: ['some', null, true],
      // contract 4.9
      includes: [['catalog'], ['taxonomy', 'catalog'], 'taxonomy', null],
      // contract 4.15
      facets: ['brand', null, [''], [3], ['brand', { field: 'brand', limit: 3 }], Array.from('abcdefghijk')],
    },
    bodies: {
      ...QUERY_FILTERS,
      'facets.0.limit': [0, 101].map((limit) => ({ facets: [{ field: 'brand', limit }] })),
      'facets.0.size': [{ facets: [{ field: 'brand', size: 3 }] }],
      cursor: [{ page: 0, cursor: '' }, { cursor: 3 }],
    },
    beyondSchema:
      'category_id taxonomy_node filters.1.include filters.1.exclude filters.1.ids filters.5.exclude facets',
  },
  {
    // contract 6.7
    call: 'POST /v3/catalog/items',
    taken: { ids: Array.from({ length: 100 }, () => 'brand_hermes') },
    values: {
      ids: [undefined, [], Array.from({ length: 101 }, () => 'brand_hermes'), null, 'brand_hermes', ['a', 1]],
      includes: [['catalog']],
      page: [0],
    },
  },
  {
    // contract 5.11
    call: 'POST /v3/catalog/suggest',
    taken: { query: 'k '.repeat(256), size: 10 },
    values: { size: [0, 1.5], category_id: ['shoes'], query: [LONG, null], includes: [['pricing']] },
    beyondSchema: 'category_id',
  },
  {
    // contract 6.1
    call: 'GET /v3/catalog/items/product_birkin_croc',
    taken: { includes: 'taxonomy, pricing' },
    values: { includes: ['catalog', 'taxonomy,catalog', 'Taxonomy', 'taxonomy,,pricing'] },
  },
  {
    // contract 6.3, 6.5
    call: 'GET /v3/catalog/items/product_birkin_croc/similar',
    taken: { size: '1', category_id: 'Watches' },
    values: { size: ['0', '-1', '1.5', '', 'all', '1e1'], category_id: ['shoes', ''], includes: ['catalog'] },
  },
  {
    // contract 8.1, 8.2
    call: 'GET /v1/products',
    taken: { page: '0', sort: 'name_asc', attribute: 'shoe', foo: 'bar' },
    values: {
      page: ['-1', '1.5', 'abc', '0x10', '1e2', ['1', '2']],
      page_size: ['0', ''],
      sort: ['price_asc', ['name_asc', 'name_asc']],
      search: [LONG, 'a\0b', ['a', 'b']],
      attribute: [['brand', 'model']],
      tags: [stone.join()],
      exclude_tags: [stone.join()],
    },
  },
  {
    call: 'POST /v2/products',
    taken: { page: '1', attribute: 5, brand: null, foo: { bar: 1 }, includes: ['catalog'] },
    values: {
      page: [-1, 1.5, '1.5', true],
      page_size: [0],
      sort: ['price_asc'],
      search: [5, LONG],
      brand: [5],
      category: [{}],
      tags: [stone.join()],
    },
  },
  {
    // contract 7.1, 7.2, 7.4, 7.8
    call: 'POST /v3/vision/identify',
    taken: inPhoto,
    values: {
      base64: BASE64,
      url: URLS,
      includes: [['catalog']],
      top_k: [3],
      min_confidence: [-0.01, 1.01, '0.5', null],
      category_id: ['shoes'],
      // contract 7.15
      region: [{ x: 0, y: 0, width: 0.01, height: 1 }],
    },
    bodies: {
      url: [{}, { category_id: 'handbags' }, { images: [inPhoto], url: 'https://a.example/b.jpg' }],
      // contract 7.14
      images: [{ images: [] }, { images: Array.from({ length: 6 }, () => inPhoto) }],
      base64: [
        { images: [inPhoto], base64: PHOTO },
        { base64: null, url: 'https://a.example/b.jpg' },
      ],
      region: [{ images: [inPhoto], region: { x: 0, y: 0, width: 1, height: 1 } }],
      'images.0.url': [{ images: [{}] }],
      'images.1.url': [{ images: [inPhoto, {}] }, { images: [inPhoto, { url: 'ftp://a' }] }],
      'images.1.base64': [{ images: [inPhoto, { base64: '???' }] }],
      ...Object.fromEntries(
        Object.entries(REGIONS).flatMap(([at, region]) => [
          [at, [{ ...inPhoto, region }]],
          [`images.1.${at}`, [{ images: [inPhoto, { ...inPhoto, region }] }]],
        ]),
      ),
      'filters.0.include': [{ ...inPhoto, ...filters({ field: 'tags', include: stone }) }],
      // contract 4.7
      'filters.0.ids': [{ ...inPhoto, ...filters({ ...hermes, ids: ['brand_hermes'] }) }],
    },
    beyondSchema:
      'base64 url images.1.url images.1.base64 category_id filters.0.include region region.width images.1.region.width',
  },
  {
    call: 'POST /v2/vision',
    taken: { ...inPhoto, url: null, includes: ['catalog'], foo: 1 },
    values: { base64: ['', 7], url: ['ftp://p.example/a.jpg'] },
    bodies: { url: [{}, { url: null }, { base64: null }] },
    beyondSchema: 'base64 url',
  },
  {
    // contract 16.1
    call: 'POST /v3/vision/jobs',
    taken: { entries: [inside] },
    values: { entries: [undefined, [], Array(101).fill(inside)], includes: [['catalog']] },
    bodies: {
      'entries.1.url': [{ entries: [inside, {}] }],
      'entries.0.url': [{ entries: [{ ...inside, images: [inside] }] }],
      'entries.0.base64': [{ entries: [{ ...inPhoto, images: [inPhoto] }] }],
      'entries.0.images.0.url': [{ entries: [{ images: [{ url: 'ftp://a.example' }] }] }],
      'entries.0.includes': [{ entries: [{ ...inside, includes: [] }] }],
      // contract 16.1
      'entries.1.category_id': [{ entries: [inside, { ...inside, category_id: 'shoes' }] }],
      'entries.1.filters.0.exclude': [
        { entries: [inside, { ...inside, ...filters({ field: 'tags', exclude: stone }) }] },
      ],
      'entries.1.min_confidence': [-0.01, '0.5'].map((min_confidence) => ({
        entries: [inside, { ...inside, min_confidence }],
      })),
    },
    beyondSchema: 'entries.0.images.0.url entries.1.category_id entries.1.filters.0.exclude',
  },
  {
    // contract 16.10, 16.11, 16.16
    call: 'POST /v3/webhooks',
    taken: hook,
    values: {
      events: [['job.done'], []],
      credits_below: [5],
      url: [
        ...['http://shop.example', 'https://user:secret@shop.example', 'shop.example', ...PRIVATE],
        'https://shop.example:0',
      ],
    },
    bodies: { credits_below: [{ ...hook, events: ['account.credits.low'] }] },
    beyondSchema: 'url',
  },
  {
    // contract 9.7
    call: 'GET /v3/account',
    taken: {},
    values: { since: ['yesterday', '2020-01-01', ['2026-03-01', '2026-03-02']], until: NO_TIMES },
    bodies: { since: [{ since: '2026-03-02', until: '2026-03-01' }] },
  },
  {
    // contract 17.3
    call: 'POST /admin/v1/accounts',
    taken: { name: 'a', credits: 1 },
    values: { name: [undefined, ' ', 'a'.repeat(201), 'a\0'], credits: [-1, 1.5], limit: [1] },
    beyondSchema: 'name',
  },
  {
    call: 'POST /admin/v1/accounts/ACCOUNT/credits',
    taken: { amount: 5, note: 'why' },
    values: { amount: ['5', 1e15 + 1], note: [null] },
  },
  {
    call: 'POST /admin/v1/accounts/ACCOUNT/keep-photos',
    taken: { keep: true },
    values: { keep: ['yes'] },
  },
  {
    call: 'POST /admin/v1/accounts/ACCOUNT/keys',
    taken: newKey,
    values: { versions: [[], ['v4']], scopes: [['all']], expires_at: ['2020-01-01T00:00:00Z', ...NO_TIMES] },
    bodies: {
      'limits.per_day': [{ ...newKey, limits: { per_day: 1 } }],
      'limits.per_second': [{ ...newKey, limits: { per_second: -1 } }],
    },
    beyondSchema: 'expires_at',
  },
  {
    // contract 17.5
    call: 'GET /admin/v1/accounts',
    taken: { limit: '200' },
    values: { limit: ['0', '201', 'two'], cursor: ['account_nobody', '\0'] },
  },
  { call: 'GET /admin/v1/audit', taken: {}, values: { cursor: ['x'], account: ['\0'] } },
];
