import fc from 'fast-check';
import { foldText, nameSortKey, queryWords, wordsOf } from '../../models/catalog/fold-text';
import { matchedParts } from '../../models/catalog/matched-parts';
import { Taxonomy } from '../../models/catalog/taxonomy';
import { APOSTROPHES, codePointsOf, INVISIBLE, NUMBER_SIGNS } from '../support/odd-characters';

const SEEDED = { seed: 18, numRuns: 2_000 };
/** The parts of a name that the words name. */
const partsOf = (name: string, words: string[]) =>
  matchedParts(name, words).map((part) => name.slice(...part));

// contract 5.15
describe('characters that readers do not see or cannot tell apart make no difference', () => {
  const TEXTS = ['Umhängetasche', 'e\u0301tui', '가방 路易威登', '👜 “N°5” Žižek', 'की'];
  test.each(TEXTS)('%j reads the same, and is named, with any invisible character anywhere', (text) => {
    const different: string[] = [];
    for (const character of INVISIBLE)
      for (let at = 0; at <= text.length; at += 1) {
        if (/[\ud800-\udbff]/.test(text[at - 1] ?? '')) continue;
        const name = text.slice(0, at) + character + text.slice(at);
        const words = partsOf(name, wordsOf(text)).flatMap(wordsOf);
        if (foldText(name) !== foldText(text) || words.join() !== wordsOf(text).join())
          different.push(`${codePointsOf(character)} at ${at}`);
      }
    expect(different).toEqual([]);
  });

  // contract 5.1, 5.15
  test('a text of invisible characters only is blank', () => {
    expect(INVISIBLE.filter((character) => queryWords(` ${character} `) !== null)).toEqual([]);
    expect(queryWords('!')).toEqual([]);
  });

  test.each([
    ['apostrophes', [...APOSTROPHES], (sign: string) => `Tod${sign}s`, 'tod s'],
    ['signs of a number', NUMBER_SIGNS, (sign: string) => `Chanel ${sign}5`, 'chanel no 5'],
  ])('all %s read alike', (_what, signs, nameOf, words) => {
    expect(signs.filter((sign) => wordsOf(nameOf(sign)).join(' ') !== words)).toEqual([]);
    expect(new Set(signs.map((sign) => foldText(nameOf(sign)))).size).toBe(1);
  });

  test('a degree sign is part of no word, although the sign of a number may look like one', () => {
    expect(['45°', '45º', '1˚', '№ 5'].map(wordsOf)).toEqual([['45'], ['45'], ['1'], ['no', '5']]);
  });

  // contract 5.5, 5.15
  test('folding twice changes nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => foldText(foldText(text)) === foldText(text)),
      SEEDED,
    );
  });
});

// contract 5.11
describe('matched parts of a name', () => {
  test.each<[name: string, words: string[], parts: string[]]>([
    ['Louis Vuitton', ['vuitton', 'lou'], ['Lou', 'Vuitton']],
    ['Gold Goldfish', ['gold', 'goldf'], ['Gold', 'Goldf']],
    ['Goldfish', ['gold', 'x'], []],
    ['Straße', ['strass'], ['Straß']],
    ['Herme\u0300s', ['herme'], ['Herme\u0300']],
    ['Ægir', ['ae'], ['Æ']],
    ['👜 Bag', ['bag'], ['Bag']],
    ['路易威登 手袋', ['威登', '手'], ['威登', '手']],
    ['L’Air', ['l', 'air'], ['L', 'Air']],
    ['Chanel', [], []],
  ])('of %j for %j', (name, words, parts) => {
    expect(partsOf(name, words)).toEqual(parts);
  });

  test('lie within the name, in order and apart, and contain what was asked for', () => {
    const odd = fc.constantFrom(' ', 'N°5', 'ß', '½', ...INVISIBLE.slice(0, 9));
    const piece = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), odd);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(), (pieces, pick) => {
        const text = pieces.join('');
        const words = wordsOf(text);
        const word = words[pick % Math.max(1, words.length)];
        const parts = matchedParts(text, word === undefined ? [] : [word]);
        if (word !== undefined) expect(parts.length).toBeGreaterThan(0);
        parts.forEach(([from, to], at) => {
          expect(from).toBeGreaterThanOrEqual(parts[at - 1]?.[1] ?? 0);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(text.length);
          if (word !== undefined) expect(foldText(text.slice(from, to))).toContain(word.slice(0, 1));
        });
      }),
      SEEDED,
    );
  });
});

// contract 4.2, 5.5
test('a category is found by its name, composed or not', () => {
  const summer = { id: 'summer', name: 'Été', hierarchy: [] };
  for (const name of ['été', 'E\u0301TE\u0301']) expect(new Taxonomy([summer]).find(name)).toBe(summer);
});

// contract 4.12
test('names sort: space, punctuation and symbols, digits, Latin letters, other scripts; articles count', () => {
  /** Names between `|` sort alike. */
  const IN_ORDER = [
    ...[' Birkin', '!', '"Bag"', '&c.', '-1', '“Q”', '★ Star', '👜', '👜\ufe0f Bag|👜 BAG', '1 Bag', '11.12'],
    ...['19', '2.55', '3|３', 'A Bag', "A'Bag", 'A1', 'Abag|ABAG|àbäg', 'Alma BB', 'Alma-BB', 'AlmaBB'],
    ...['Chloé|CHLOE|chloe\u0301', 'Chloe Bag', 'Izmir|İZMİR|ızmır', 'L Air', "L'Air", 'Lair', 'Łódź|lodz'],
    ...['Œuvre|oeuvre', 'Straße|STRASSE|stra\u1e9ee', 'The Row', 'Zoë', 'Ωmega', 'Белая', 'Яхта|ЯХТА'],
    ...['का', 'की', 'シャネル', '香奈儿'],
  ];
  const keys = IN_ORDER.map((names) => [...new Set(names.split('|').map(nameSortKey))]);
  expect(IN_ORDER.filter((_, at) => keys[at]?.length !== 1)).toEqual([]);
  const bytes = keys.flat().map((key) => Buffer.from(key));
  expect([...bytes].reverse().sort(Buffer.compare)).toEqual(bytes);
});
