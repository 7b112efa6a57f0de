import fc from 'fast-check';
import { foldText, nameSortKey, wordsAsked, wordsOf } from '../../models/catalog/fold-text';
import { matchedParts } from '../../models/catalog/matched-parts';
import { APOSTROPHES, codePointsOf, INVISIBLE, NUMBER_SIGNS } from '../support/odd-characters';

describe('the same letters', () => {
  /** contract 5.15: what readers do not see or do not tell apart makes no difference. */
  const placed = (text: string, at: number, character: string) =>
    text.slice(0, at) + character + text.slice(at);

  // contract 5.15
  describe.each(['Umhängetasche', 'e\u0301tui', '가방 路易威登', '👜 “N°5” Žižek', 'की'])('%j', (text) => {
    const cuts = Array.from({ length: text.length + 1 }, (_, at) => at).filter(
      (at) => !/[\ud800-\udbff]/.test(text[at - 1] ?? ''),
    );

    test('reads the same with any invisible character anywhere', () => {
      const different = INVISIBLE.filter((character) =>
        cuts.some((at) => foldText(placed(text, at, character)) !== foldText(text)),
      );
      expect(different.map(codePointsOf)).toEqual([]);
    });

    test('is named whole and in part by a name that has invisible characters', () => {
      const differences = INVISIBLE.flatMap((character) =>
        cuts.flatMap((at) => {
          const name = placed(text, at, character);
          const parts = matchedParts(name, wordsOf(text)).map(([from, to]) => wordsOf(name.slice(from, to)));
          return JSON.stringify(parts.flat()) === JSON.stringify(wordsOf(text)) ? [] : [{ name, parts }];
        }),
      );
      expect(differences).toEqual([]);
    });
  });

  // contract 5.1, 5.15
  test('a text of nothing but invisible characters is blank', () => {
    expect(INVISIBLE.filter((character) => wordsAsked(` ${character} `) !== null)).toEqual([]);
    expect(wordsAsked('!')).toEqual([]);
  });

  // contract 5.15
  test.each([...APOSTROPHES].map((sign) => [codePointsOf(sign), sign]))(
    '%s is an apostrophe',
    (_name, sign) => {
      expect(foldText(`Tod${sign}s L${sign}Air`)).toBe("tod's l'air");
      expect(matchedParts(`Tod${sign}s`, ['tods'])).toEqual([[0, 5]]);
    },
  );

  // contract 5.15
  test.each([...NUMBER_SIGNS])('%s is the sign of a number', (sign) => {
    expect(wordsOf(`Chanel ${sign}5`)).toEqual(['chanel', 'no', '5']);
    expect(wordsOf(`${sign} 5`)).toEqual(['no', '5']);
    const name = `Chanel ${sign}5`;
    expect(matchedParts(name, ['no', '5']).map(([from, to]) => name.slice(from, to))).toEqual([sign, '5']);
  });

  // contract 5.15
  test('a degree is part of no word', () => {
    expect(['45°', '45º', '1˚'].map(wordsOf)).toEqual([['45'], ['45'], ['1']]);
  });

  // contract 5.5, 5.15
  test('folding twice changes nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { seed: 18, numRuns: 2_000 },
    );
  });

  // contract 5.11
  test('matched parts of any name are within it, in order and apart, and hold what is asked for', () => {
    const name = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 8 }),
        fc.constantFrom(' ', 'N°5', 'ß', '½', ...INVISIBLE.slice(0, 9)),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(name, fc.nat(), (pieces, pick) => {
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
      { seed: 18, numRuns: 2_000 },
    );
  });
});

describe('matched parts of a name', () => {
  /** contract 5.11: the parts of a name that a query names, where letters fold to other lengths. */
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
    expect(matchedParts(name, words).map(([from, to]) => name.slice(from, to))).toEqual(parts);
  });
});

describe('the order of names', () => {
  /** contract 4.12; names of a line sort alike. */
  const IN_ORDER: readonly (readonly string[])[] = [
    [' Birkin'],
    ['!'],
    ['"Bag"'],
    ['&c.'],
    ['-1'],
    ['“Q”'],
    ['★ Star'],
    ['👜'],
    ['👜\ufe0f Bag', '👜 BAG'],
    ['1 Bag'],
    ['11.12'],
    ['19'],
    ['2.55'],
    ['3', '３'],
    ['A Bag'],
    ["A'Bag"],
    ['A1'],
    ['Abag', 'ABAG', 'àbäg'],
    ['Alma BB'],
    ['Alma-BB'],
    ['AlmaBB'],
    ['Chloé', 'CHLOE', 'chloe\u0301'],
    ['Chloe Bag'],
    ['Izmir', 'İZMİR', 'ızmır'],
    ['L Air'],
    ["L'Air"],
    ['Lair'],
    ['Łódź', 'lodz'],
    ['Œuvre', 'oeuvre'],
    ['Straße', 'STRASSE', 'stra\u1e9ee'],
    ['The Row'],
    ['Zoë'],
    ['Ωmega'],
    ['Белая'],
    ['Яхта', 'ЯХТА'],
    ['का'],
    ['की'],
    ['シャネル'],
    ['香奈儿'],
  ];

  const compare = (left: string, right: string): number =>
    Buffer.compare(Buffer.from(nameSortKey(left)), Buffer.from(nameSortKey(right)));

  describe('names', () => {
    test('sort: space, punctuation and symbols, digits, Latin letters, other scripts; articles count', () => {
      const firsts = IN_ORDER.map(([name]) => name ?? '');
      expect([...firsts].reverse().sort(compare)).toEqual(firsts);
    });

    test.each(IN_ORDER.filter((names) => names.length > 1))(
      'sort without regard to case and accents: %s',
      (...names) => {
        expect(new Set(names.map(nameSortKey)).size).toBe(1);
      },
    );
  });
});
