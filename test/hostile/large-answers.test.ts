import { join } from 'node:path';
import { type CatalogSource, writeBundle } from '../support/fixture-data';
import { useService } from '../support/service';

const PRODUCTS = 100;
const VARIANTS = 60;
const LARGE_BYTES = 2_000_000;

/** A page of it is larger than what the embedded database takes of a client that waits for its turn. */
const LARGE_CATALOG: CatalogSource = {
  name: 'large-answers',
  sources: ['test/hostile/large-answers.test.ts'],
  async write(folder) {
    const bundle = await writeBundle(join(folder, 'large'), {
      categories: [{ id: 'handbags', name: 'Handbags', hierarchy: ['brand'] }],
      entities: [{ id: 'brand_a', kind: 'brand', name: 'Alpha', category: 'handbags' }],
      products: Array.from({ length: PRODUCTS }, (_, number) => productOf(number)),
    });
    return [bundle];
  },
};

const productOf = (number: number) => ({
  ...{ id: `product_${number}`, category: 'handbags', popularity: number, attributes: { brand: 'brand_a' } },
  variants: Array.from({ length: VARIANTS }, (_, index) => ({
    id: `variant_${number}_${index}`,
    images: [`https://images.example.com/${'of-a-bag-'.repeat(20)}${number}-${index}.jpg`],
    fields: [{ field: 'size', name: `Size ${index}` }],
  })),
});

const service = useService({}, {}, LARGE_CATALOG);
jest.setTimeout(120_000);

// contract 12.6
test('large idempotent answers, made and repeated at once beside other calls, are answered and charged once', async () => {
  const { api, accountId } = await service.newKey({ credits: 1000 });
  const large = (name: string) =>
    api.send('POST', '/v3/catalog/query', {
      body: { page_size: PRODUCTS, includes: ['pricing'] },
      headers: { 'Idempotency-Key': name },
    });
  const round = async () => {
    const others = [1, 2, 3].map(() => service.api.query({ page_size: 1 }));
    const answers = await Promise.all(['a', 'b', 'c'].map(large));
    for (const { status } of [...answers, ...(await Promise.all(others))]) expect(status).toBe(200);
    return answers;
  };
  const creditsOf = (answers: Awaited<ReturnType<typeof round>>) =>
    answers.map(({ headers }) => Number(headers.get('X-Credits-Used')));

  const first = await round();
  const again = await round();

  for (const [index, { text, headers }] of again.entries()) {
    expect(text.length).toBeGreaterThan(LARGE_BYTES);
    expect(headers.get('Idempotency-Replayed')).toBe('true');
    expect(text).toBe(first[index]?.text);
  }
  expect(creditsOf(again)).toEqual([0, 0, 0]);
  expect(await service.creditsBooked(accountId)).toBe(creditsOf(first).reduce((sum, used) => sum + used));
});
