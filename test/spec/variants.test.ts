import fc from 'fast-check';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { BatchSize } from '../../models/catalog/import/run-stage';
import { bag, brandLine, fresh, price, pricedBag, variantOf } from '../support/record-lines';
import { useWrittenCatalog } from '../support/written-catalog';

/** contract 13.15: prices belong to a variant's id, and a variant to the product that named it last. */
const { service, writer, importFiles } = useWrittenCatalog();

const whole = (id: string, variant = variantOf(id)) => bag(id, { variants: [{ id: variant }] });

/** The highest grades of a product's variants, and whether each has a file of listings and of history. */
async function pricesOf(id: string) {
  const { body } = await writer.item(id, 'pricing');
  return (body.data[0]?.variants ?? []).map(({ id: variant, pricing }) => [
    variant,
    pricing?.market_estimates?.[0]?.A ?? null,
    pricing?.pricing_data !== null && pricing?.historical_estimates !== null,
  ]);
}

// contract 13.15
describe('a variant that its product leaves out', () => {
  test('is hidden with its prices, and has all of them when it is named again', async () => {
    const [id, other] = [fresh('product'), fresh('product')];
    const key = { variant: variantOf(id), region: 'NA' };
    await writer.write([
      ...pricedBag(id, 900),
      { 'estimate-history': { ...key, date: '2026-01-01', source: 'ebay', A: 800 } },
      { listings: { ...key, link: 'https://shop.example/1', price: 700 } },
    ]);
    const prices = [[variantOf(id), 900, true]];
    expect(await pricesOf(id)).toEqual(prices);
    await writer.write([bag(id)]);
    expect(await pricesOf(id)).toEqual([]);
    const reason = `no product names "${variantOf(id)}" any more`;
    expect((await writer.write([price(id, 2)])).body.data).toMatchObject([{ field: 'variant', reason }]);
    await importFiles({ products: [whole(id).products] });
    expect(await pricesOf(id)).toEqual(prices);
    await importFiles({ products: [bag(id).products] });
    await writer.write([whole(other, variantOf(id))]);
    expect(await pricesOf(other)).toEqual(prices);
  });

  test('is deleted with its prices once it has been away for the whole grace period, but never while it is named', async () => {
    const [away, back, named] = [fresh('product'), fresh('product'), fresh('product')];
    await writer.write([away, back, named].flatMap((id) => pricedBag(id, 5)));
    await writer.write([bag(away), bag(back)]);
    const store = service.resolve(PostgresHousekeepingStore);
    const earlier = new Date(Date.now() - 60_000);
    await store.deleteAwayVariants(earlier, 1_000);
    await writer.write([whole(back)]);
    const left = () =>
      service
        .knex('market_estimates')
        .whereIn('variant_id', [away, back, named].map(variantOf))
        .orderBy('variant_id')
        .pluck('variant_id');
    expect(await left()).toEqual([away, back, named].map(variantOf).sort());
    await service.knex('variants').whereNotNull('away_since').update({ away_since: earlier });
    while ((await store.deleteAwayVariants(new Date(), 1)) > 0);
    expect(await left()).toEqual([back, named].map(variantOf).sort());
    await writer.write([whole(away)]);
    expect(await pricesOf(away)).toEqual([[variantOf(away), null, false]]);
  });
});

// A universe so small that records meet often.
const PRODUCTS = [0, 1, 2];
const VARIANTS = [0, 1, 2, 3];
type Step =
  | { readonly product: number; readonly variants: readonly number[] | null }
  | { readonly variant: number; readonly A: number };
const product = fc.constantFrom(...PRODUCTS);
const variant = fc.constantFrom(...VARIANTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ product, variants: fc.shuffledSubarray(VARIANTS) }) },
  { weight: 1, arbitrary: fc.record({ product, variants: fc.constant(null) }) },
  { weight: 3, arbitrary: fc.record({ variant, A: fc.integer({ min: 1, max: 9 }) }) },
);
const change = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  /** Records of a batch of an import; null for a call. */
  batch: fc.option(fc.integer({ min: 1, max: 4 })),
});

class NaiveCatalog {
  private readonly owners = new Map<number, number | null>();
  private readonly named = new Map<number, readonly number[] | null>();
  private readonly prices = new Map<number, number>();

  /** Products before prices, as in a bundle. Answers how many are accepted. */
  take(steps: readonly Step[]): number {
    for (const each of steps) if ('product' in each) this.product(each.product, each.variants);
    return steps.filter((each) => 'product' in each || this.price(each.variant, each.A)).length;
  }

  /** Null for a product that does not exist; else its variants, with their prices. */
  variantsOf(id: number): readonly (readonly [number, number | null])[] | null {
    const own = this.named.get(id)?.filter((each) => this.owners.get(each) === id);
    return own?.map((each) => [each, this.prices.get(each) ?? null]) ?? null;
  }

  best(): number | null {
    const shown = PRODUCTS.flatMap((id) => this.variantsOf(id) ?? []).flatMap(([, A]) => A ?? []);
    return shown.length > 0 ? Math.max(...shown) : null;
  }

  private product(id: number, variants: readonly number[] | null): void {
    this.named.set(id, variants);
    if (variants === null) return;
    for (const [each, owner] of this.owners) if (owner === id) this.owners.set(each, null);
    for (const each of variants) this.owners.set(each, id);
  }

  private price(id: number, A: number): boolean {
    const owner = this.owners.get(id) ?? null;
    if (owner === null || this.named.get(owner) === null) return false;
    this.prices.set(id, A);
    return true;
  }
}

// contract 13.15, 13.2, 15.2
test('calls and imports in batches of any size have the same result as their records one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const naive = new NaiveCatalog();
      const brand = fresh('brand');
      const products = PRODUCTS.map(() => fresh('product'));
      const variants = VARIANTS.map(() => fresh('variant'));
      const picture = (id: string | undefined) => `https://p.example/${id}.jpg`;
      const recordOf = (each: Step) => {
        if (!('product' in each))
          return { estimates: { variant: variants[each.variant], source: 'ebay', region: 'NA', A: each.A } };
        const id = String(products[each.product]);
        if (each.variants === null) return { products: { id, deleted: true } };
        const own = each.variants.map((at) => ({ id: variants[at], images: [picture(variants[at])] }));
        return bag(id, { attributes: { brand }, images: [picture(id)], variants: own });
      };
      const taken = async (records: readonly ReturnType<typeof recordOf>[], batch: number | null) => {
        if (batch === null) return (await writer.write(records)).body.accepted;
        const size = jest.spyOn(BatchSize.prototype, 'records', 'get').mockReturnValue(batch);
        const { accepted } = await importFiles({
          products: records.flatMap((each) => ('products' in each ? [each.products] : [])),
          estimates: records.flatMap((each) => ('estimates' in each ? [each.estimates] : [])),
        });
        size.mockRestore();
        return accepted;
      };
      await writer.write([brandLine(brand, 'Naive')]);
      for (const { steps, batch } of changes) {
        const expected = naive.take(steps);
        expect(await taken(steps.map(recordOf), batch)).toBe(expected);
        const rows = (await writer.items({ ids: products, includes: ['pricing'] })).body.data;
        const shown = service.knex('product_images').join('images', 'image_id', 'images.id');
        const pictures = await shown.whereIn('product_id', products).select('product_id', 'address');
        for (const [at, id] of products.entries()) {
          const own = naive.variantsOf(at);
          const names = (own ?? []).map(([each]) => each);
          const row = rows.find((each) => each.id === id);
          const seen = row?.variants?.map((each) => [
            variants.indexOf(each.id),
            each.pricing?.market_estimates?.[0]?.A ?? null,
          ]);
          expect(seen ?? null).toEqual(own);
          const addresses = pictures.filter((each) => each.product_id === id).map(({ address }) => address);
          const expectedPictures = [id, ...names.map((each) => variants[each])].map(picture);
          expect(addresses.sort()).toEqual(own === null ? [] : expectedPictures.sort());
        }
        const { data } = (await writer.item(brand, 'pricing')).body;
        expect(data[0]?.max_market_estimate?.A ?? null).toBe(naive.best());
      }
    }),
    { numRuns: 12 },
  );
}, 300_000);
