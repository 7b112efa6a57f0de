import type { CatalogQuery } from '../../../../models/catalog/catalog-query';
import { cursorOf } from '../../../../models/catalog/cursor';
import { wordsOf } from '../../../../models/catalog/fold-text';
import type { Random } from '../../../../models/random';
import type { CatalogSample } from './catalog-sample';

export type Question =
  | { readonly item: string }
  | { readonly query: CatalogQuery }
  | { readonly suggest: string };

/** The path, and the body of a POST, that ask a question over HTTP (contract 4.1). */
export function requestOf(question: Question, pricing: boolean): { path: string; body?: object } {
  const includes = pricing ? ['taxonomy', 'pricing'] : ['taxonomy'];
  if ('item' in question) {
    const id = encodeURIComponent(question.item);
    return { path: `/v3/catalog/items/${id}?includes=${includes.join(',')}` };
  }
  if ('suggest' in question) return { path: '/v3/catalog/suggest', body: { query: question.suggest } };
  const { text, node, filters, facets, page, cursor, pageSize, sort } = question.query;
  const body = {
    ...(text === null ? {} : { query: text }),
    taxonomy_node: node,
    filters: filters.map(({ field, include, exclude }) => ({ field, include, exclude })),
    ...(facets && { facets: facets.map(({ field, limit }) => ({ field, limit })) }),
    ...(cursor === undefined ? { page } : { cursor }),
    page_size: pageSize,
    ...{ sort, includes },
  };
  return { path: '/v3/catalog/query', body };
}

type Draw<Drawn> = (sample: CatalogSample, random: Random) => Drawn;

interface QuestionKind {
  readonly name: string;
  readonly draw: Draw<Question>;
}

const PAGE_SIZE = 20;
const FIRST_PAGES = 10;
const RARE_ROWS_MAX = 20;
const FREQUENT_SHARE = 0.05;

const PLAIN: CatalogQuery = {
  ...{ text: null, categories: null, node: 'product', filters: [] },
  ...{ page: 0, pageSize: PAGE_SIZE, sort: 'popularity_desc' },
};

const listing = (name: string, draw: Draw<Partial<CatalogQuery>>): QuestionKind => ({
  name,
  draw: (...given) => ({ query: { ...PLAIN, ...draw(...given) } }),
});

const text = (name: string, draw: Draw<string>): QuestionKind => ({
  name,
  draw: (...given) => ({ query: { ...PLAIN, text: draw(...given) } }),
});

const suggestion = (name: string, draw: Draw<string>): QuestionKind => ({
  name: `suggest ${name}`,
  draw: (...given) => ({ suggest: draw(...given) }),
});

export const QUESTION_KINDS: readonly QuestionKind[] = [
  { name: 'item lookup', draw: (sample, random) => ({ item: sample.product(random).id }) },
  listing('listing', (_, random) => ({ page: random.integer(0, FIRST_PAGES) })),
  listing('one filter', (sample, random) => ({ filters: sample.filters(random, 1) })),
  listing('three filters', (sample, random) => ({ filters: sample.filters(random, 3) })),
  listing('two fat filters', (sample, random) => ({
    filters: sample.filters(random, 2, (filter) => sample.shareOf(filter) > FREQUENT_SHARE),
  })),
  listing('exclude', (sample, random) => ({
    filters: sample
      .filters(random, 2)
      .map(({ field, include }) => ({ field, include: [], exclude: include })),
  })),
  listing('tag on models', (sample, random) => ({
    node: 'model',
    filters: [{ field: 'tags', include: [random.pick(sample.tags)], exclude: [] }],
  })),
  listing('deep page', (sample, random) => ({
    page: random.integer(0, Math.floor((sample.size - 1) / PAGE_SIZE)),
  })),
  listing('by cursor', (sample, random) => ({
    cursor: cursorOf({ ...PLAIN, words: null }, sample.product(random).position),
  })),
  listing('facets', (sample, random) => {
    const filters = sample.filters(random, 3);
    const fields = [...new Set(filters.map(({ field }) => field))];
    const facets = fields.map((field) => ({ field, limit: PAGE_SIZE, words: null }));
    return { filters: filters.slice(0, 1), facets };
  }),
  listing('by name', (_, random) => ({ page: random.integer(0, FIRST_PAGES), sort: byName(random) })),
  listing('brand by name', (sample, random) => ({
    filters: sample.filters(random, 1, ({ field }) => field === 'brand'),
    sort: byName(random),
  })),
  text('rare word', (sample, random) =>
    sample.word(random, (word) => sample.shareOf(word) * sample.size <= RARE_ROWS_MAX),
  ),
  text('frequent word', (sample, random) =>
    sample.word(random, (word) => sample.shareOf(word) > FREQUENT_SHARE),
  ),
  text('two words', (sample, random) => sample.words(random, 2).join(' ')),
  text(
    'misspelt',
    (sample, random) => `${misspelt(sample.word(random, isLong), random)} ${sample.word(random)}`,
  ),
  text('prefix', (sample, random) =>
    sample.word(random, (word) => word.length > 3).slice(0, random.integer(2, 3)),
  ),
  text('three random words', (sample, random) =>
    [sample.word(random), sample.word(random), sample.word(random)].join(' '),
  ),
  text('five words', (sample, random) => sample.words(random, 5).join(' ')),
  suggestion('1 letter', (sample, random) => searchWord(sample, random).slice(0, 1)),
  suggestion('word begun', (sample, random) => begun(searchWord(sample, random), 2, random)),
  suggestion('words begun', (sample, random) => {
    const sought = random.chance(0.5) ? random.pick(sample.names) : sample.words(random, 2).join(' ');
    return begun(sought, Math.min(4, sought.length), random);
  }),
  suggestion('misspelt', (sample, random) =>
    begun(misspelt(searchWord(sample, random, isLong), random), 4, random),
  ),
];

const byName = (random: Random): CatalogQuery['sort'] => random.pick(['name_asc', 'name_desc']);
const isLong = (word: string): boolean => /^[a-z]{5,}$/.test(word);
const begun = (sought: string, least: number, random: Random): string =>
  sought.slice(0, random.integer(least, sought.length));

function searchWord(sample: CatalogSample, random: Random, suits: (word: string) => boolean = () => true) {
  const words = wordsOf(random.pick(sample.names)).filter(suits);
  return words.length > 0 && random.chance(0.5) ? random.pick(words) : sample.word(random, suits);
}

function misspelt(word: string, random: Random): string {
  const at = random.integer(1, word.length - 2);
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  return random.pick([
    `${before}${after}`,
    `${before}${letter}${letter}${after}`,
    `${before}${after.charAt(0)}${letter}${after.slice(1)}`,
  ]);
}
