import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 3, 4, 5, 8: questions to one fixed catalog, in every API version that can ask them, and the rows that answer them. */
const service = useService();

/** Ids without their kind, separated by spaces: `brand: 'hermes'` is `brand_hermes`; `croc` in rows of node `style` is `style_croc`. */
interface Question {
  readonly node?: string;
  readonly category?: string;
  readonly text?: string;
  readonly sort?: string;
  /** By field: rows that carry at least one of the values. */
  readonly only?: Readonly<Record<string, string>>;
  /** By field: rows that carry none of the values. */
  readonly without?: Readonly<Record<string, string>>;
}

/** The rows in their order; `…` at the end stands for any further ones. */
type Row = readonly [question: Question, rows: string];

/** By popularity, equals by id. */
const ALL =
  'birkin_croc submariner birkin_togo kelly_croc love_ring nautilus neverfull_monogram neverfull_damier ' +
  'speedy_epi kelly_lizard echo elan emil the_row phillip_lim objets mechta of_gone_brand';
const allBut = (names: string) =>
  ALL.split(' ')
    .filter((name) => !names.split(' ').includes(name))
    .join(' ');
const reversed = (names: string) => names.split(' ').reverse().join(' ');
const VUITTON = 'neverfull_monogram neverfull_damier speedy_epi';
const HERMES = 'birkin_croc birkin_togo kelly_croc kelly_lizard';
const TAGGED = 'birkin_togo neverfull_monogram neverfull_damier kelly_lizard';
const BAGS = allBut('submariner love_ring nautilus');
const BRANDS_BY_NAME = 'objets phillip_lim echo elan emil hermes vuitton the_row mechta';

const ANSWERS: Readonly<Record<string, readonly Row[]>> = {
  // contract 4.4, 8.3
  'a filter finds the rows that carry one of its values, and filters of several fields must all hold': [
    [{ only: { style: 'birkin_croc speedy_epi' } }, 'birkin_croc speedy_epi'],
    [{ only: { colour: 'gold' } }, 'birkin_togo kelly_lizard'],
    [{ only: { model: 'birkin kelly', colour: 'gold' } }, 'birkin_togo kelly_lizard'],
    [{ only: { brand: 'hermes', tags: 'material:exotic' } }, 'birkin_croc kelly_croc kelly_lizard'],
    [{ only: { material: 'togo' } }, 'birkin_togo'],
    [{ only: { dial: 'black' } }, 'submariner'],
    [{ only: { maison: 'cartier' } }, 'love_ring'],
    [{ only: { model: 'kelly' }, text: 'crocodile' }, 'kelly_croc'],
    [{ only: { brand: 'hermes' }, node: 'model' }, 'birkin kelly'],
    [{ only: { model: 'kelly' }, node: 'model' }, 'kelly'],
  ],
  // contract 4.5, 8.3
  'an exclusion drops the rows that carry one of its values; unknown values drop nothing': [
    [{ only: { brand: 'hermes' }, without: { colour: 'noir' } }, 'kelly_lizard'],
    [{ only: { brand: 'hermes' }, without: { model: 'birkin', colour: 'gold' } }, 'kelly_croc'],
    [{ only: { brand: 'hermes vuitton' }, without: { brand: 'hermes' } }, VUITTON],
    [{ without: { brand: 'hermes vuitton' } }, allBut(`${HERMES} ${VUITTON}`)],
    [{ without: { category: 'handbags' } }, 'submariner love_ring nautilus'],
    [{ without: { brand: 'nobody', flavour: 'sweet' } }, ALL],
  ],
  // contract 4.6
  'an unknown or inapplicable facet finds nothing': [
    [{ only: { brand: 'nobody' } }, ''],
    [{ only: { dial: 'black' }, category: 'handbags' }, ''],
  ],
  // contract 3.4, 3.5
  'a product carries its own tags and those of its style, a model only those of all its styles': [
    [{ only: { tags: 'material:exotic' } }, 'birkin_croc kelly_croc kelly_lizard'],
    [{ only: { tags: 'edition:limited' } }, 'birkin_togo kelly_lizard'],
    [{ only: { tags: 'edition:limited material:canvas' } }, TAGGED],
    [{ without: { tags: 'edition:limited material:canvas' } }, allBut(TAGGED)],
    [{ only: { tags: 'material:exotic' }, without: { tags: 'edition:limited' } }, 'birkin_croc kelly_croc'],
    [{ only: { tags: 'material:exotic' }, node: 'style' }, 'birkin_croc kelly_croc kelly_lizard'],
    [{ only: { tags: 'material:exotic' }, node: 'model' }, 'kelly'],
    [{ only: { tags: 'edition:limited' }, node: 'model' }, ''],
  ],
  // contract 1.1, 1.8, 3.1, 3.2
  'every level of every hierarchy can be listed, without deleted rows': [
    [{}, ALL],
    [{ node: 'category' }, 'watches handbags jewellery'],
    [{ node: 'brand' }, 'hermes rolex vuitton patek echo elan emil mechta objets phillip_lim the_row'],
    [{ node: 'model' }, 'birkin kelly neverfull speedy 124060 5711 retired'],
    [
      { node: 'style' },
      'birkin_croc birkin_togo kelly_croc kelly_lizard neverfull_damier neverfull_monogram speedy_epi',
    ],
    [{ node: 'family' }, 'submariner nautilus'],
    [{ node: 'case' }, 'oyster'],
    [{ node: 'dial', category: 'watches' }, 'black'],
    [{ node: 'maison', category: 'jewellery' }, 'cartier'],
    [{ node: 'line' }, 'love'],
  ],
  // contract 4.2
  'a category is named by its slug or its name, in any case': [
    ...['handbags', 'Handbags', 'HANDBAGS'].map((category): Row => [{ category }, BAGS]),
    [{ category: 'fine jewellery' }, 'love_ring'],
  ],
  // contract 4.11, 4.12, 4.13
  'a listing is ordered by popularity or name, and equals by their ids, both ways': [
    [{ sort: 'popularity_asc' }, reversed(ALL).replace('kelly_croc birkin_togo', 'birkin_togo kelly_croc')],
    [{ sort: 'name_asc', only: { brand: 'hermes' } }, HERMES],
    [
      { sort: 'name_asc', node: 'style' },
      'birkin_croc kelly_croc neverfull_damier speedy_epi kelly_lizard neverfull_monogram birkin_togo',
    ],
    [
      { sort: 'name_desc', node: 'style' },
      'birkin_togo neverfull_monogram kelly_lizard speedy_epi neverfull_damier birkin_croc kelly_croc',
    ],
    // Without case and accents: punctuation, Latin letters, other scripts; articles count.
    [{ sort: 'name_asc', node: 'brand', category: 'handbags' }, BRANDS_BY_NAME],
    [{ sort: 'name_desc', node: 'brand', category: 'handbags' }, reversed(BRANDS_BY_NAME)],
  ],
  // contract 5.1
  'a blank text is a listing, one without a word finds nothing': [
    [{ text: '  ' }, ALL],
    ...['!!!', '…', '—', 'nothingatall'].map((text): Row => [{ text }, '']),
  ],
  // contract 5.2, 5.3, 5.4
  'a text finds rows by all words that are said of them, misspelt or unfinished too, the best match first': [
    [{ text: 'birkin' }, 'birkin_croc birkin_togo'],
    [{ text: 'hermes', node: 'brand' }, 'hermes'],
    [{ text: 'HERMES birkin TOGO' }, 'birkin_togo …'],
    [{ text: 'damier ebene' }, 'neverfull_damier …'],
    [{ text: 'gold kelly' }, 'kelly_lizard …'],
    [{ text: 'neverfull gm' }, 'neverfull_monogram …'],
    [{ text: 'doctor' }, 'speedy_epi …'],
    [{ text: 'toile' }, 'neverfull_monogram …'],
    [{ text: 'epis speedy' }, 'speedy_epi …'],
    [{ text: 'birkim togo' }, 'birkin_togo …'],
    [{ text: 'submarimor' }, 'submariner …'],
    [{ text: 'louis vuitton never' }, 'neverfull_monogram …'],
    [{ text: 'мечта' }, 'mechta …'],
    [{ text: 'echo' }, 'echo …'],
    // More words matched come before popularity, whatever the sort.
    [{ text: 'hermes lizard', sort: 'popularity_desc' }, 'kelly_lizard birkin_croc …'],
    [{ text: 'hermes lizard', sort: 'name_desc' }, 'kelly_lizard birkin_croc …'],
  ],
};

const listed = <Asked>(table: Readonly<Record<string, readonly (readonly [Asked, string])[]>>) =>
  Object.entries(table).flatMap(([promise, rows]) =>
    rows.map(([asked, found]) => ({ promise, asked, found, sent: JSON.stringify(asked) })),
  );

const idOf = (kind: string, name: string) =>
  kind === 'category' || kind === 'tags' ? name : `${kind}_${name}`;
const idsIn = (names: string, kind = 'product') =>
  (names.match(/[^ …]+/g) ?? []).map((name) => idOf(kind, name));
const chosen = (given: Question['only'] = {}) => Object.entries(given);

const asV3 = ({ node, category, text, sort, only, without }: Question) => ({
  ...{ page_size: 100, taxonomy_node: node, category_id: category, query: text, sort },
  filters: [
    ...chosen(only).map(([field, names]) => ({ field, include: idsIn(names, field) })),
    ...chosen(without).map(([field, names]) => ({ field, exclude: idsIn(names, field) })),
  ],
});
const asLegacy = ({ node, category, text, sort, only, without }: Question): Record<string, string> => ({
  page_size: '100',
  category: category ?? 'handbags,watches,jewellery',
  ...(node === undefined ? {} : { attribute: node }),
  ...(text === undefined ? {} : { search: text }),
  ...(sort === undefined ? {} : { sort }),
  ...Object.fromEntries([
    ...chosen(only).map(([field, names]) => [field, idsIn(names, field).join()]),
    ...chosen(without).map(([field, names]) => [`exclude_${field}`, idsIn(names, field).join(' , ')]),
  ]),
});

test.each(listed(ANSWERS))('$promise: $sent', async ({ asked, found }) => {
  const { node = 'product', text = '', sort = 'popularity_desc' } = asked;
  const expected = idsIn(found, node);
  const answers = {
    v3: await service.api.query(asV3(asked)),
    v1: await service.api.v1(asLegacy(asked)),
    v2: await service.api.v2(asLegacy(asked)),
  };
  for (const [version, answer] of Object.entries(answers)) {
    const ids = idsOf(answer);
    const seen = found.endsWith('…') ? ids.slice(0, expected.length) : ids;
    expect([version, answer.status, ...seen]).toEqual([version, 200, ...expected]);
    const sort_applied = text.trim() === '' ? sort : 'relevance';
    expect(answer.body).toMatchObject({ results: ids.length, total_results: ids.length, sort_applied });
    // contract 10.1, 10.2
    const price = version !== 'v3' && node === 'product' ? 6 : 1;
    expect(answer.headers.get('X-Credits-Used')).toBe(String(ids.length > 0 ? price : 0));
  }
});

const included = (field: string, name: string) => ({ field, include: [idOf(field, name)] });
const excluded = (field: string, name: string) => ({ field, exclude: [idOf(field, name)] });

const FILTERS: Readonly<Record<string, readonly (readonly [filters: readonly object[], rows: string])[]>> = {
  // contract 4.4
  'objects of one field must all hold': [
    [[included('tags', 'material:exotic'), included('tags', 'edition:limited')], 'kelly_lizard'],
    [[included('colour', 'noir'), included('colour', 'gold')], 'birkin_togo'],
    [[included('brand', 'hermes'), included('brand', 'vuitton')], ''],
  ],
  // contract 4.5
  'exclusions in several objects are those of one, and an empty include excludes nothing': [
    [[excluded('brand', 'hermes'), excluded('brand', 'vuitton')], allBut(`${HERMES} ${VUITTON}`)],
    [[{ ...excluded('brand', 'hermes'), include: [] }], allBut(HERMES)],
  ],
  // contract 4.7
  'ids is include under its old name': [
    [[{ field: 'brand', ids: ['brand_rolex'] }], 'submariner'],
    [[{ field: 'brand', ids: ['brand_hermes'], exclude: ['brand_vuitton'] }], HERMES],
  ],
  // contract 4.6
  'a value that no row can have finds nothing and drops nothing': [
    ['tags:material', 'exotic'],
    ['colour', ''],
    ["brand'; --", "' OR 1=1 --"],
  ].flatMap(([field, value]) => [
    [[{ field, include: [value] }], ''] as const,
    [[{ field, exclude: [value] }], ALL] as const,
  ]),
};

test.each(listed(FILTERS))('$promise: $sent', async ({ asked, found, sent }) => {
  const answer = await service.api.query({ filters: asked, page_size: 100 });
  expect(idsOf(answer)).toEqual(idsIn(found));
  expect(answer.headers.get('Deprecation')).toBe(sent.includes('"ids"') ? 'true' : null);
});

// contract 3.2, 4.2
test.each(['dial', 'strap', 'maison'])(
  'a category lists its nodes if asked for %s',
  async (taxonomy_node) => {
    const nodes = ['brand', 'category', 'model', 'product', 'style'];
    for (const category_id of ['handbags', 'Handbags']) {
      const { status, body } = await service.api.query({ category_id, taxonomy_node });
      const allowed_taxonomy_nodes = expect.arrayContaining(nodes);
      expect([status, body]).toMatchObject([400, { field: 'taxonomy_node', allowed_taxonomy_nodes }]);
      expect(body).toHaveProperty('allowed_taxonomy_nodes.length', nodes.length);
    }
  },
);

// contract 1.9
test.each<[object, string, number | null]>([
  [{ taxonomy_node: 'brand', category_id: 'handbags' }, 'brand', 0],
  [{ taxonomy_node: 'style', category_id: 'handbags' }, 'style', 2],
  [{ category_id: 'handbags' }, 'product', 3],
  [{ taxonomy_node: 'category', category_id: 'handbags' }, 'category', 0],
  [{ taxonomy_node: 'model', category_id: 'watches' }, 'model', 2],
  [{ taxonomy_node: 'dial', category_id: 'watches' }, 'dial', 4],
  [{ taxonomy_node: 'line', category_id: 'jewellery' }, 'line', 1],
  [{ category_id: 'watches', query: 'nothingatall' }, 'product', 5],
  // From the first row, where no category is named.
  [{ query: 'submariner' }, 'product', 5],
  [{ taxonomy_node: 'category' }, 'category', 0],
  [{ query: 'nothingatall' }, 'product', null],
])('%j resolves to the node %s of level %p', async (asked, node, level) => {
  expect((await service.api.query(asked)).body.resolved_taxonomy).toEqual({ node, level });
});
