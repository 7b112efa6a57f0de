import { nameSortKey } from '../../models/catalog/fold-text';

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
