import { gzipSync } from 'node:zlib';
import { rowsOf } from '../../db/core/sql';
import { CATALOG, entity, estimate, HERMES, product, TAGS, TOGO, TOGO_BAG } from './catalog-import-sample';
import { type BundleFiles, picture, useImportBench } from './catalog-import-support';

const bench = useImportBench(CATALOG);

const style = (rest: object, name = 'style_a') => entity(name, 'A', rest);
const bag = (rest: object) => product('a', 'style_togo', rest);
const KEYS = { region: 'NA', source: 'ebay' };
const LISTING = { region: 'NA', link: 'https://a.example/' };
const LIKE_PRODUCT = 'id: starts with product_, like the id of a product';
const NO_BRAND_A = 'parents.brand: there is no entity "brand_a"';
const ROLEX = 'parents.brand: "brand_rolex" belongs to the category "watches"';
const HERMES_ELSEWHERE = 'category: "brand_hermes" belongs to the category "handbags"';
const IS_DELETED = 'variant: product_croc, its product, is deleted';
const NO_FILE = 'images.0: images/none.png: there is no such file in the bundle';
const NO_PICTURE = 'variants.0.thumbnails.0: images/text.png: This is no picture.';

/** Bad lines by file, each with its line in the report; good lines are between them. */
const BAD: Record<string, [unknown, string | null][]> = {
  'categories.jsonl': [
    [{ id: 'brand_hermes', name: 'X' }, 'id: "brand_hermes" is an entity'],
    [{ id: 'product_a', name: 'X' }, LIKE_PRODUCT],
    [{ id: 'shoes', name: 'Shoes' }, null],
  ],
  'tags.jsonl': [
    [{ id: 'e:x', name: 'X', categories: ['handbags', 'hats'] }, 'categories.1: there is no category "hats"'],
    [{ id: 'e:y', name: 'Y', categories: ['shoes'] }, null],
  ],
  'entities.jsonl': [
    ['{"id":"brand_a"', 'line: not JSON'],
    [style({ category: 'hats' }, 'brand_a'), 'category: there is no category "hats"'],
    [style({ tags: ['e:y'] }, 'brand_a'), 'tags: a brand carries no tags, styles and products do'],
    [style({ tags: ['e:y', 'e:x'] }), 'tags.1: there is no tag "e:x"'],
    [style({ parents: { brand: 'brand_a' } }), NO_BRAND_A],
    [style({ parents: { brand: 'model_birkin' } }), 'parents.brand: "model_birkin" is a model'],
    [entity('brand_rolex', 'Rolex', { category: 'watches' }), null],
    [style({ parents: { brand: 'brand_rolex' } }), ROLEX],
    [{ ...HERMES, category: 'watches' }, HERMES_ELSEWHERE],
    [style({ parents: { style: 'style_b' } }, 'model_b'), 'parents.style: there is no entity "style_b"'],
    [style({ parents: { model: 'model_b' } }, 'style_b'), 'parents.model: there is no entity "model_b"'],
    [{ ...TOGO, name: 'Togo leather' }, null],
  ],
  'products.jsonl': [
    [product('a', 'style_a'), 'attributes.style: there is no entity "style_a"'],
    [product('a', 'brand_hermes'), 'attributes.style: "brand_hermes" is a brand'],
    [bag({ category: 'hats' }), 'category: there is no category "hats"'],
    [bag({ tags: ['e:x'] }), 'tags.0: there is no tag "e:x"'],
    [bag({ attributes: { brand: 'brand_rolex' } }), ROLEX.replace('parents', 'attributes')],
    [bag({ images: ['images/none.png'] }), NO_FILE],
    [bag({ variants: [{ id: 'variant_a', thumbnails: ['images/text.png'] }] }), NO_PICTURE],
    [product('good', 'style_togo', { images: ['images/good.png'] }), null],
    [{ id: 'product_croc', deleted: true }, null],
  ],
  'estimates.jsonl': [
    [estimate('none', 1), 'variant: there is no variant "variant_none"'],
    [estimate('a', 1), 'variant: there is no variant "variant_a"'],
    [estimate('croc_25', 1), IS_DELETED],
    [estimate('togo_25', 1, { B: 2 }), 'B: grades do not descend'],
    [estimate('good_25', 3), null],
  ],
  'estimate-history.jsonl': [
    [{ ...KEYS, variant: 'variant_croc_25', date: '2026-01-01' }, IS_DELETED],
    [{ ...KEYS, variant: 'variant_togo_25', date: 'today' }, 'date: Invalid ISO date'],
  ],
  'listings.jsonl': [
    [{ ...LISTING, variant: 'variant_none' }, 'variant: there is no variant "variant_none"'],
    [{ ...LISTING, variant: 'variant_good_25' }, null],
  ],
};

const BAD_BUNDLE: BundleFiles = {
  ...Object.fromEntries(Object.entries(BAD).map(([file, lines]) => [file, lines.map(([line]) => line)])),
  'images/good.png': picture('good'),
  'images/text.png': Buffer.from('text'),
};
const EXPECTED = Object.entries(BAD).flatMap(([file, lines]) =>
  lines.flatMap(([, reason], index) => (reason === null ? [] : [`${file}:${index + 1}: ${reason}`])),
);
const ACCEPTED = Object.values(BAD).flat().length - EXPECTED.length;

describe('a bad line', () => {
  // contract 13.6, 13.7, 13.10
  test('is rejected alone, with file, line, field and reason; a dry run finds the same and changes nothing', async () => {
    const before = await bench.dump();
    for (const dryRun of [true, false]) {
      const result = await bench.import(BAD_BUNDLE, { dryRun });
      expect(bench.rejects().sort()).toEqual([...EXPECTED].sort());
      expect(result).toMatchObject({ accepted: ACCEPTED, rejected: EXPECTED.length });
      if (dryRun) expect([await bench.dump(), await bench.stored()]).toEqual([before, []]);
    }
    expect(await bench.row('product_a')).toBeUndefined();
    expect(await bench.row('style_togo')).toMatchObject({ name: 'Togo leather', max_estimate: { A: 3 } });
    expect(await bench.row('brand_hermes')).toMatchObject({ category: 'handbags' });
  });

  test('is reported under the file name in the bundle, and with its own number', async () => {
    await bench.import({ 'tags.jsonl.gz': gzipSync(`\n\n${JSON.stringify(TAGS[0])}\nnonsense\n`) });
    expect(bench.rejects()).toEqual(['tags.jsonl.gz:4: line: not JSON']);
  });

  test('that only the database finds rejects no other line', async () => {
    const keywords = Array.from({ length: 60_000 }, (_, at) => `word${at} ${'x'.repeat(40)}${at}`);
    const many = Array.from({ length: 9 }, (_, at) => product(`p${at}`, 'style_togo', { variants: [] }));
    const long = product('long', 'style_togo', { keywords, variants: [] });
    await bench.import({ 'products.jsonl': [...many, long, TOGO_BAG] });
    const reason = /^products\.jsonl:10: line: string is too long for tsvector/;
    expect(bench.rejects()).toEqual([expect.stringMatching(reason)]);
    expect(await bench.row('product_p8')).toBeDefined();
  });
});

// contract 1.1
test('an entity and a product never share an id: the later one is rejected', async () => {
  const line = entity('product_line_a', 'A', { kind: 'product_line' });
  const bag = product('line_b', 'style_togo');
  const category = { ...CATALOG['categories.jsonl'][0], hierarchy: ['brand', 'style', line.kind] };
  const files = { 'categories.jsonl': [category], 'entities.jsonl': [line], 'products.jsonl': [bag] };
  await bench.accept(files);
  const swapped = [{ ...line, id: bag.id }, line];
  await bench.import({ 'entities.jsonl': swapped, 'products.jsonl': [{ ...bag, id: line.id }, bag] });
  expect(bench.rejects()).toEqual([
    'entities.jsonl:1: id: is the id of a product',
    'products.jsonl:1: id: "product_line_a" is an entity',
  ]);
  await bench.accept({ 'products.jsonl': [{ id: line.id, deleted: true }] });
  expect(await bench.row(line.id)).toMatchObject({ kind: line.kind });
  const other = { ...line, id: 'product_line_c' };
  const lines = [line.id, other.id];
  const gone = lines.map((id) => ({ id, deleted: true }));
  const naming = product('c', 'style_togo', { attributes: { brand: 'brand_hermes', product_line: lines } });
  const products = [naming, ...lines.map((id) => ({ ...bag, id, variants: [] }))];
  const replaced = { 'entities.jsonl': [other, ...gone], 'products.jsonl': products };
  expect(await bench.import(replaced, { dryRun: true })).toMatchObject({ accepted: 6, rejected: 0 });
  await bench.accept(replaced);
  expect(await bench.row(line.id)).toMatchObject({ kind: 'product' });
});

test('entities whose parents are in later lines are accepted if the last line of each parent is', async () => {
  const result = await bench.import({
    'entities.jsonl': [
      entity('style_x', 'first', { parents: { model: 'model_x' } }),
      entity('style_x', 'last'),
      entity('style_y', 'Y', { parents: { model: 'model_x', brand: 'brand_bad' } }),
      entity('model_x', 'X', { parents: { brand: 'brand_x' } }),
      entity('brand_bad', ' '),
      entity('brand_x', 'X', { parents: { model: 'model_typo' } }),
      entity('brand_x', 'X'),
      entity('model_w', 'W', { category: 'watches', parents: { brand: 'brand_hermes' } }),
      { ...HERMES, category: ['handbags', 'watches'] },
    ],
  });
  expect(bench.rejects().sort()).toEqual([
    'entities.jsonl:3: parents.brand: there is no entity "brand_bad"',
    'entities.jsonl:5: name: is blank',
    expect.stringMatching(/^entities\.jsonl:6: parents/),
  ]);
  expect(result.accepted).toBe(6);
  expect(await bench.row('style_x')).toMatchObject({ name: 'last', attributes: [{}, { id: 'style_x' }] });
  expect(await bench.row('model_x')).toMatchObject({ attributes: [{}, { id: 'brand_x' }, {}] });
});

// contract 13.2
test('history and listings are kept by their keys; the later line wins', async () => {
  const point = { variant: 'variant_togo_30', region: 'NA', date: '2026-01-01', source: 'ebay' };
  const listing = { variant: 'variant_togo_30', region: 'EU-IE', link: 'https://shop.example/1' };
  await bench.accept({
    'estimate-history.jsonl': [
      { ...point, A: 5 },
      { ...point, A: 6 },
    ],
    'listings.jsonl': [
      { ...listing, price: 4.5 },
      { ...listing, link: 'https://shop.example/2', vendor: 'Shop' },
    ],
  });
  expect(await bench.knex('estimate_history')).toMatchObject([{ a: 6, b: null, currency: 'usd' }]);
  expect(await bench.knex('listings').select('price', 'vendor', 'currency').orderBy('link')).toEqual([
    { price: 4.5, vendor: '', currency: 'eur' },
    { price: null, vendor: 'Shop', currency: 'eur' },
  ]);
});

// contract 13.2, 13.4, 13.14
test('of two synonyms of one id the last wins, deleted ones go and may come back; gzipped too', async () => {
  const stored = () => rowsOf(bench.knex)`SELECT id, phrases FROM synonyms ORDER BY id`;
  const ONE_WAY = { id: 'syn_lv', from: ['LV', 'l.v.'], to: ['Louis  Vuitton', 'louis vuitton'] };
  const MUTUAL = { id: 'syn_bag', words: ['bag', 'Étui', '手袋'] };
  await bench.accept({ 'synonyms.jsonl': [MUTUAL, ONE_WAY, { ...ONE_WAY, from: ['vuitton'] }] });
  expect(await stored()).toMatchObject([{ id: 'syn_bag' }, { id: 'syn_lv', phrases: ['vuitton'] }]);
  const gone = `${JSON.stringify({ id: 'syn_lv', deleted: true })}\n{"id":"nobody","deleted":true}\n`;
  await bench.accept({ 'synonyms.jsonl.gz': gzipSync(gone) });
  expect(await stored()).toMatchObject([{ id: 'syn_bag' }]);
  await bench.accept({ 'synonyms.jsonl': [{ id: 'syn_lv', deleted: true }, ONE_WAY] });
  expect(await stored()).toMatchObject([{ id: 'syn_bag' }, { id: 'syn_lv', phrases: ['lv', 'l v'] }]);
});
