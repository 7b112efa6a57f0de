import { matchedParts } from '../../models/catalog/matched-parts';

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
