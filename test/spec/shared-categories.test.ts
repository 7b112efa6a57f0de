import { PORTS } from '../../models/ports';
import { type ApiClient, idsOf } from '../support/api-client';
import { useService } from '../support/service';
import { StoredVectors } from '../support/stored-vectors';
import { bundleImporter, fresh, WRITTEN, writerOf } from '../support/written-catalog';

/** contract 1.11: a brand of several categories is one row. */
const vectors = new StoredVectors(() => service);
const service = useService({}, { [PORTS.IndexQueue]: vectors }, WRITTEN);
const importFiles = bundleImporter(service, vectors);
let writer: ApiClient;
beforeAll(async () => {
  writer = await writerOf(service);
});

const brandOf = (id: string, category: string | readonly string[], rest: object = {}) => ({
  id,
  kind: 'brand',
  name: `Maison ${id.replace('brand_', '')}`,
  category,
  ...rest,
});
const write = async (record: object) => (await writer.write([{ entities: record }])).body.data[0];
const found = async (id: string, query: object) => {
  const { body } = await writer.query({ query: `Maison ${id.replace('brand_', '')}`, ...query });
  return body.data.filter((row) => row.id === id);
};
const BOTH = ['handbags', 'watches'];

// contract 1.11, 1.5, 1.9
test.each([
  ['a call', async (record: object) => expect(await write(record)).toMatchObject({ status: 'accepted' })],
  [
    'an import',
    async (record: object) =>
      expect(await importFiles({ 'entities.jsonl': [record] })).toMatchObject({ accepted: 1 }),
  ],
])('a brand of two categories, by %s, is one row that is found in each and in all', async (_, send) => {
  const id = fresh('brand');
  await send(brandOf(id, BOTH));
  for (const category_id of [...BOTH, undefined]) {
    const scope = category_id === undefined ? {} : { category_id };
    const rows = await found(id, { taxonomy_node: 'brand', ...scope });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.attributes).toMatchObject([
      { field: 'category', id: 'handbags' },
      { field: 'category', id: 'watches' },
      { field: 'brand', id },
    ]);
    const suggested = await writer.suggest({ query: `Maison ${id.replace('brand_', '')}`, ...scope });
    expect(idsOf(suggested)).toContain(id);
  }
  const item = await writer.item(id);
  expect(item.body.resolved_taxonomy).toEqual({ node: 'brand', level: 0 });
});

// contract 1.11, 4.10
test('it counts once in the total of all categories and once in that of each', async () => {
  const totals = async () =>
    Promise.all(
      [{}, { category_id: 'handbags' }, { category_id: 'watches' }].map(async (scope) => {
        const { body } = await writer.query({ taxonomy_node: 'brand', page_size: 1, ...scope });
        return body.total_results;
      }),
    );
  const before = await totals();
  await write(brandOf(fresh('brand'), BOTH));
  expect(await totals()).toEqual(before.map((total) => total + 1));
});

// contract 1.11
test('products of each of its categories name it, and others may not', async () => {
  const brand = fresh('brand');
  await write(brandOf(brand, BOTH));
  const [bag, watch] = [fresh('product'), fresh('product')];
  const lines = [
    { products: { id: bag, category: 'handbags', attributes: { brand } } },
    { products: { id: watch, category: 'watches', attributes: { brand }, title: 'A watch' } },
  ];
  expect((await writer.write(lines)).body).toMatchObject({ accepted: 2 });
  const answer = await writer.query({ filters: [{ field: 'brand', include: [brand] }] });
  expect(idsOf(answer).sort()).toEqual([bag, watch].sort());
});

describe('the list of categories', () => {
  // contract 1.11
  test('may grow and may not shrink', async () => {
    const id = fresh('brand');
    await write(brandOf(id, 'watches'));
    expect(await write(brandOf(id, BOTH))).toMatchObject({ status: 'accepted' });
    expect(await found(id, { taxonomy_node: 'brand', category_id: 'handbags' })).toHaveLength(1);
    expect(await write(brandOf(id, ['handbags']))).toMatchObject({
      field: 'category',
      reason: `"${id}" belongs to the category "handbags" and "watches"`,
    });
  });

  // contract 1.11
  test.each<[string, object, string]>([
    [
      'an inner kind',
      { id: 'model_shared', kind: 'model' },
      'is a list, but in "handbags" a model is not the outermost level of the hierarchy',
    ],
    ['an unknown category', { category: ['handbags', 'hats'] }, 'there is no category "hats"'],
    ['no category', { category: [] }, 'is no id and no list of ids'],
    ['no text', { category: [1] }, 'is no id and no list of ids'],
  ])('with %s is a reject', async (_, rest, reason) => {
    expect(await write({ ...brandOf(fresh('brand'), BOTH), ...rest })).toMatchObject({
      field: 'category',
      reason,
    });
  });
});
