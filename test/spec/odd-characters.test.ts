import { SCOPES } from '../../models/access/api-key';
import type { ApiClient } from '../support/api-client';
import { idsOf } from '../support/api-client';
import { APOSTROPHES, INVISIBLE, NUMBER_SIGNS } from '../support/odd-characters';
import { useService } from '../support/service';
import { fresh, WRITTEN } from '../support/written-catalog';

/** contract 5.15: texts with characters that readers do not see, or do not tell apart, over every way to search. */
const service = useService({}, {}, WRITTEN);
let api: ApiClient;
beforeAll(async () => {
  api = (await service.newKey({ scopes: SCOPES })).api;
});

const WORD_LETTERS = 20;
const groups = Array.from({ length: Math.ceil(INVISIBLE.length / WORD_LETTERS) }, (_, at) =>
  INVISIBLE.slice(at * WORD_LETTERS, (at + 1) * WORD_LETTERS),
);
/** A word of its own for each number, of as many letters as there are characters to hide, and a few more. */
const wordOf = (number: number): string =>
  `q${String.fromCharCode(97 + (number % 26)).repeat(3)}${String(number).padStart(3, '0')}ä${'zyxwvutsrqponmlkjihg'.slice(0, WORD_LETTERS)}`;
const hiding = (word: string, characters: readonly string[]): string =>
  word.replace(/(?<=ä.*)./gu, (letter, at: number) => `${characters[at % characters.length]}${letter}`);

/** A brand of this name and a product of it. */
async function written(name: string): Promise<{ brand: string; product: string }> {
  const [brand, product] = [fresh('brand'), fresh('product')];
  const lines = [
    { entities: { id: brand, kind: 'brand', name, category: 'handbags' } },
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
] as const)('each %s finds each other one', async (_what, signs, nameOf, words) => {
  for (const sign of signs) {
    const rows = await written(nameOf(sign));
    for (const other of [signs[0], signs.at(-1), signs[(signs.indexOf(sign) + 1) % signs.length]]) {
      const text = nameOf(other ?? '');
      const { matched, facet } = await foundBy(text, rows);
      expect({ sign, other, facet }).toMatchObject({ facet: true });
      expect({ sign, other, parts: (matched ?? []).length }).toEqual({ sign, other, parts: words });
      const { body } = await api.query({ query: text, filters: [{ field: 'brand', include: [rows.brand] }] });
      expect(body.data.map(({ id }) => id)).toEqual([rows.product]);
    }
    await api.remove(rows.product);
    await api.remove(rows.brand);
  }
});

// contract 5.9, 5.15
test('synonyms are read whatever cannot be seen in them or in the query', async () => {
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
