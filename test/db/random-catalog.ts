import fc from 'fast-check';
import type { Knex } from 'knex';
import { writeSynonyms } from '../../db/catalog/import/write-records';
import { LONGER_MAX } from '../../db/catalog/search/term-expansion';
import { type FacetQuery, type ResolvedQuery, SORTS } from '../../models/catalog/catalog-query';
import type { SuggestionQuery } from '../../models/ports';
import { deleteCatalogRows, type SearchedRow, writeCatalogRows } from '../support/catalog-rows';
import type { GivenSynonym } from '../support/naive-search';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Words that are near each other, begin alike, or are too short to be misspelt. */
const VOCABULARY = [
  ...['chanel', 'chanels', 'chance', 'channel', 'canal', 'hermes', 'herms', 'mini', 'min', 'minor', 'maxi'],
  ...words('speedmaster speedmasters seamaster submariner submarine caviar cavia bag bags'),
  ...['classique', 'classic', 'classics', '30', '126610', '126613', 'noir', 'noire', 'no', 'n'],
];

/** Words of other scripts: marks that make another letter, syllables, words without spaces, and their parts. */
const OTHER_SCRIPTS = [
  ...words('की का कि किताब किताबें कताब 가방 가발 가방끈 여성가방 여성가발 여성가방끈'),
  ...words('路易威登 威登 路易 易威 登路易 香奈儿 路易威登女士手袋 女士手袋 シャネル ルイヴィトン'),
  ...['กระเป๋า', 'กระเป๋าถือ', 'น้ำหอม', 'หอม', 'сумка', 'сумки', 'τσαντα', 'حقيبة', 'תיק'],
];
/** More words with a common part than a search lists individually. */
const PARTS = Array.from({ length: LONGER_MAX + 10 }, (_, index) =>
  [0x4e00 + index, 0x5000 + index, ...'手表新款']
    .map((each) => (typeof each === 'number' ? String.fromCodePoint(each) : each))
    .join(''),
);

/** More words with a common prefix than a search lists individually. */
const REFERENCES = ['ref', 'lange'].flatMap((begun) =>
  Array.from({ length: LONGER_MAX + 10 }, (_, index) => `${begun}${index}`),
);

/** Words that are other words joined, and references as rows have them. */
const WRITTEN = words(
  'noirmaxiclassic onthego minibag bagmini hermesbag noirmaxi lou535653 535653 m126610ln 126610ln 116610 rm1103 126610-ln',
);
const APART = ['on the go', 'rm 11-03', 'lou-535653', '5711.1a-010'];

const word = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...WRITTEN, ...APART) },
  { weight: 5, arbitrary: fc.constantFrom(...VOCABULARY) },
  { weight: 1, arbitrary: fc.constantFrom(...REFERENCES) },
  { weight: 3, arbitrary: fc.constantFrom(...OTHER_SCRIPTS) },
  { weight: 1, arbitrary: fc.constantFrom(...PARTS) },
);
/** A word of a query: one that rows have, or one near it or in it. */
const askedWord = fc.oneof(
  word,
  fc.constantFrom(
    ...words(
      'lou535653 53565 535653 rm1103 rm11 126610ln 116610ln 57111a010 57111a 5711 1a 010 11 03 rm ln lou',
    ),
    ...words(
      'maxinoir maxiclassicbag minibag classicbag minicavia onthego 126613noir chnael speedmsater seemastre sub c nnoire quartz 126611 clasiqe ref re ref77 lange lang',
    ),
    ...words('क ी 여성가바 여성기방 威 登路 手表 一手表 易威登 ャネ ヴィト น้ำ ระเป сумкы 手'),
  ),
);

/** Between one or several words, one-way and mutual, some of which say nothing or begin alike. */
export const SYNONYMS: readonly GivenSynonym[] = [
  { from: ['quartz'], to: ['chanel', 'classic caviar'] },
  { from: ['mini bag', 'bag mini'], to: ['minor', '香奈儿', 'canal bag', 'unheard of'] },
  { words: ['noir', 'seamaster 30', 'chance'] },
  { from: ['bag'], to: ['bags', 'bag', 'min maxi'] },
  { words: ['威登', 'ref7'] },
  { from: ['ref'], to: ['hermes', 'no n'] },
];

export async function writeGivenSynonyms(knex: Knex): Promise<void> {
  const records = SYNONYMS.map((given, index) => ({
    id: `syn_${index}`,
    phrases: 'words' in given ? given.words : given.from,
    readings: 'words' in given ? given.words : given.to,
  }));
  await knex.transaction((trx) => writeSynonyms(trx, records));
}

const PHRASES = SYNONYMS.flatMap((given) => ('words' in given ? given.words : given.from));

const askedWords = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: askedWord }, { weight: 1, arbitrary: fc.constantFrom(...PHRASES) }),
    { maxLength: 5 },
  )
  .map((phrases) => phrases.flatMap((phrase) => phrase.split(/[- .]/)));

const FIELDS = { brand: 6, model: 40, colour: 5, tags: 3 } as const;
type Field = keyof typeof FIELDS;
const facetIds = (field: Field) => Array.from({ length: FIELDS[field] }, (_, index) => `${field}_${index}`);

const facet = (field: Field, several: number) =>
  fc
    .uniqueArray(fc.constantFrom(...facetIds(field)), { maxLength: several })
    .map((ids) => ids.map((id) => `${field}:${id}`));

type Row = Omit<SearchedRow, 'id'>;

export const row: fc.Arbitrary<Row> = fc.record({
  kind: fc.constantFrom(...Array(8).fill('product'), 'brand', 'brand', 'model', 'style'),
  category: fc.constantFrom('handbags', 'handbags', 'watches'),
  popularity: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })),
  name: fc
    .tuple(
      fc.constantFrom('Été', 'ete', '“Q”', '3.1', 'Zoë', 'Яхта', 'A b', 'The Row', 'L’Air', '香', '!'),
      word,
    )
    .map((parts) => parts.join(' ')),
  facets: fc
    .tuple(facet('brand', 1), facet('model', 1), facet('colour', 2), facet('tags', 3))
    .map((all) => all.flat()),
  words: fc.uniqueArray(word, { maxLength: 6 }),
});

const filter = fc.constantFrom(...(Object.keys(FIELDS) as Field[])).chain((field) => {
  const ids = fc.uniqueArray(fc.constantFrom(...facetIds(field), 'unknown'), { maxLength: 3 });
  return fc.record({ field: fc.constant(field), include: ids, exclude: fc.oneof(fc.constant([]), ids) });
});

const facets: fc.Arbitrary<FacetQuery[]> = fc.uniqueArray(
  fc.record({
    field: fc.constantFrom(...Object.keys(FIELDS), 'unknown', 'brand:', 'sort', 'constructor'),
    limit: fc.constantFrom(1, 3, 20, 100),
    words: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom('model', 'mod', '1', '2', 'b'), { maxLength: 2 }) },
    ),
  }),
  { selector: ({ field }) => field, maxLength: 3 },
);

/** Of a live key. */
export const query: fc.Arbitrary<ResolvedQuery> = fc.record({
  node: fc.constantFrom('product', 'product', 'product', 'brand', 'family'),
  categories: fc.constantFrom(null, ['handbags'], ['watches', 'handbags'], ['shoes'], []),
  filters: fc.oneof(fc.constant([]), fc.array(filter, { maxLength: 3 })),
  words: fc.oneof(
    { weight: 50, arbitrary: fc.constant(null) },
    { weight: 50, arbitrary: askedWords },
    // More words than any row has.
    { weight: 1, arbitrary: fc.constant([...VOCABULARY, 'quartz', 'c']) },
  ),
  match: fc.constantFrom('any', 'any', 'all'),
  sort: fc.constantFrom(...SORTS),
  page: fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(400) }),
  pageSize: fc.constantFrom(1, 7, 20, 100),
  facets,
});

export const suggestion: fc.Arbitrary<SuggestionQuery> = fc
  .record({
    words: fc.oneof({ weight: 5, arbitrary: askedWords }, { weight: 1, arbitrary: fc.constant(null) }),
    category: fc.constantFrom(null, null, 'handbags', 'watches', 'shoes'),
    size: fc.integer({ min: 1, max: 10 }),
  })
  .map((asked) => ({ ...asked, text: asked.words?.join(' ') ?? '' }));

/** Rows by their number; null for one that is removed. */
export type Edits = readonly (readonly [number: number, row: Row | null])[];

/** Changes like a shop's: rows are added, changed, removed and restored. */
export const editsOf = (rows: number): fc.Arbitrary<Edits> =>
  fc.array(fc.tuple(fc.nat(rows), fc.option<Row, null>(row, { freq: 3 })), { minLength: 1, maxLength: 6 });

export class RandomCatalog {
  rows: readonly SearchedRow[] = [];

  constructor(private readonly knex: Knex) {}

  async apply(edits: Edits): Promise<void> {
    const byId = new Map(edits.map(([number, each]) => [`product_${number}`, each]));
    const written = [...byId].flatMap(([id, each]) => (each ? [{ ...each, id }] : []));
    const gone = [...byId].flatMap(([id, each]) => (each ? [] : [id]));
    await this.knex.transaction(async (trx) => {
      await writeCatalogRows(trx, written);
      await deleteCatalogRows(trx, gone);
    });
    this.rows = [...this.rows.filter(({ id }) => !byId.has(id)), ...written];
  }
}
