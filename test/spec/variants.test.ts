import fc from 'fast-check';
import { BatchSize } from '../../models/catalog/import/run-stage';
import { type HousekeepingStore, PORTS } from '../../models/ports';
import {
  bag,
  brandLine,
  fresh,
  price,
  pricedBag,
  useWrittenCatalog,
  variantOf,
} from '../support/written-catalog';

/** contract 13.15: prices belong to a variant's id, and a variant to the product that named it last. */
const { service, writer, knex, importFiles } = useWrittenCatalog();
afterEach(() => jest.restoreAllMocks());

/** The highest grades of a product's variants, and whether each has a file of listings and of history. */
async function pricesOf(id: string) {
  const { status, body } = await writer.item(id, 'pricing');
  if (status !== 200) return status;
  return (body.data[0]?.variants ?? []).map(({ id: variant, pricing }) => [
    variant,
    pricing?.market_estimates?.[0]?.A ?? null,
    pricing?.pricing_data !== null && pricing?.historical_estimates !== null,
  ]);
}

const historyOf = (id: string, A: number) => ({
  'estimate-history': { variant: variantOf(id), region: 'NA', date: '2026-01-01', source: 'ebay', A },
});
const listingOf = (id: string, amount: number) => ({
  listings: { variant: variantOf(id), region: 'NA', link: 'https://shop.example/1', price: amount },
});

describe('a variant that its product leaves out', () => {
  // contract 13.15
  test('is hidden with its prices, and there again with all of them when it is named again', async () => {
    const id = fresh('product');
    const whole = bag(id, { variants: [{ id: variantOf(id) }] });
    await writer.write([...pricedBag(id, 900), historyOf(id, 800), listingOf(id, 700)]);
    expect(await pricesOf(id)).toEqual([[variantOf(id), 900, true]]);
    await writer.write([bag(id)]);
    expect(await pricesOf(id)).toEqual([]);
    await importFiles({ 'products.jsonl': [whole.products] });
    expect(await pricesOf(id)).toEqual([[variantOf(id), 900, true]]);
    await importFiles({ 'products.jsonl': [bag(id).products] });
    const other = fresh('product');
    await writer.write([bag(other, { variants: [{ id: variantOf(id) }] })]);
    expect(await pricesOf(other)).toEqual([[variantOf(id), 900, true]]);
  });

  // contract 13.15, 13.4
  test('can get no prices meanwhile', async () => {
    const id = fresh('product');
    await writer.write([...pricedBag(id, 1), bag(id)]);
    const { body } = await writer.write([price(id, 2)]);
    expect(body.data).toMatchObject([
      { field: 'variant', reason: `no product names "${variantOf(id)}" any more` },
    ]);
  });

  // contract 13.15
  test('is deleted with its prices once it has been away for the whole grace, and never one that is named', async () => {
    const [away, back, named] = [fresh('product'), fresh('product'), fresh('product')];
    await writer.write([away, back, named].flatMap((id) => [...pricedBag(id, 5), historyOf(id, 4)]));
    await writer.write([bag(away), bag(back)]);
    const store = service.resolve<HousekeepingStore>(PORTS.HousekeepingStore);
    const earlier = new Date(Date.now() - 60_000);
    await store.deleteAwayVariants(earlier, 1_000);
    await writer.write([bag(back, { variants: [{ id: variantOf(back) }] })]);
    const left = () =>
      knex()('market_estimates')
        .whereIn('variant_id', [away, back, named].map(variantOf))
        .orderBy('variant_id')
        .pluck('variant_id');
    expect(await left()).toEqual([away, back, named].map(variantOf).sort());
    await knex()('variants').whereNotNull('away_since').update({ away_since: earlier });
    let removed = 0;
    for (let count = -1; count !== 0; removed += count) count = await store.deleteAwayVariants(new Date(), 1);
    expect(removed).toBeGreaterThanOrEqual(1);
    expect(await left()).toEqual([back, named].map(variantOf).sort());
    await writer.write([bag(away, { variants: [{ id: variantOf(away) }] })]);
    expect(await pricesOf(away)).toEqual([[variantOf(away), null, false]]);
  });
});

// A universe so small that records meet often.
const PRODUCTS = [0, 1, 2];
const VARIANTS = [0, 1, 2, 3];
type Step =
  | { readonly product: number; readonly variants: readonly number[] | null }
  | { readonly variant: number; readonly A: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      product: fc.constantFrom(...PRODUCTS),
      variants: fc.shuffledSubarray(VARIANTS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ product: fc.constantFrom(...PRODUCTS), variants: fc.constant(null) }) },
  {
    weight: 3,
    arbitrary: fc.record({ variant: fc.constantFrom(...VARIANTS), A: fc.integer({ min: 1, max: 9 }) }),
  },
);
const change = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  /** Records of a batch of an import; null for a call. */
  batch: fc.option(fc.integer({ min: 1, max: 4 })),
});

/** What records mean, one after the other. */
class NaiveCatalog {
  private readonly owners = new Map<number, number | null>();
  private readonly named = new Map<number, readonly number[]>();
  private readonly deleted = new Set<number>();
  private readonly prices = new Map<number, number>();

  /** Products before prices, as in a bundle. Resolves to how many are accepted. */
  take(steps: readonly Step[]): number {
    for (const each of steps) if ('product' in each) this.product(each.product, each.variants);
    let accepted = 0;
    for (const each of steps) if ('product' in each || this.price(each.variant, each.A)) accepted += 1;
    return accepted;
  }

  /** Null for a product that is not there; else its variants, with their prices. */
  variantsOf(product: number): readonly (readonly [number, number | null])[] | null {
    const named = this.named.get(product);
    if (!named || this.deleted.has(product)) return null;
    const own = named.filter((variant) => this.owners.get(variant) === product);
    return own.map((variant) => [variant, this.prices.get(variant) ?? null]);
  }

  best(): number | null {
    const shown = PRODUCTS.flatMap((product) => this.variantsOf(product) ?? []).flatMap(([, A]) => A ?? []);
    return shown.length > 0 ? Math.max(...shown) : null;
  }

  private product(id: number, variants: readonly number[] | null): void {
    if (variants === null) return void this.deleted.add(id);
    this.deleted.delete(id);
    for (const [variant, owner] of this.owners) if (owner === id) this.owners.set(variant, null);
    for (const variant of variants) this.owners.set(variant, id);
    this.named.set(id, variants);
  }

  private price(variant: number, A: number): boolean {
    const owner = this.owners.get(variant) ?? null;
    if (owner === null || this.deleted.has(owner)) return false;
    this.prices.set(variant, A);
    return true;
  }
}

// contract 13.15, 13.2, 15.2
test('calls and imports in batches of any size leave what their records mean one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const naive = new NaiveCatalog();
      const brand = fresh('brand');
      const products = PRODUCTS.map(() => fresh('product'));
      const variants = VARIANTS.map(() => fresh('variant'));
      const pictureOf = (variant: number) => `https://p.example/${variants[variant]}.jpg`;
      const own = (product: number) => `https://p.example/${products[product]}.jpg`;
      const recordOf = (each: Step) => {
        if (!('product' in each)) {
          return { estimates: { variant: variants[each.variant], source: 'ebay', region: 'NA', A: each.A } };
        }
        const id = String(products[each.product]);
        if (each.variants === null) return { products: { id, deleted: true } };
        return bag(id, {
          attributes: { brand },
          images: [own(each.product)],
          variants: each.variants.map((variant) => ({
            id: variants[variant],
            fields: [{ field: 'size', name: `word${variant}` }],
            images: [pictureOf(variant)],
          })),
        });
      };
      await writer.write([brandLine(brand, 'Naive')]);
      for (const { steps, batch } of changes) {
        const expected = naive.take(steps);
        const records = steps.map(recordOf);
        const size = jest.spyOn(BatchSize.prototype, 'records', 'get').mockReturnValue(batch ?? 100);
        const accepted =
          batch === null
            ? (await writer.write(records)).body.accepted
            : (
                await importFiles({
                  'products.jsonl': records.flatMap((record) =>
                    'products' in record ? [record.products] : [],
                  ),
                  'estimates.jsonl': records.flatMap((record) =>
                    'estimates' in record ? [record.estimates] : [],
                  ),
                })
              ).accepted;
        size.mockRestore();
        expect(accepted).toBe(expected);
        for (const product of PRODUCTS) {
          const id = String(products[product]);
          const expectedVariants = naive.variantsOf(product);
          const { status, body } = await writer.item(id, 'pricing');
          expect(status).toBe(expectedVariants === null ? 404 : 200);
          const seen = (body.data?.[0]?.variants ?? []).map(({ id: variant, pricing }) => [
            variants.indexOf(variant),
            pricing?.market_estimates?.[0]?.A ?? null,
          ]);
          expect(seen).toEqual(expectedVariants ?? []);
          const shown = (expectedVariants ?? []).map(([variant]) => variant);
          expect(
            await knex()('product_images')
              .join('images', 'image_id', 'images.id')
              .where({ product_id: id })
              .pluck('address')
              .then((all) => all.sort()),
          ).toEqual(expectedVariants === null ? [] : [own(product), ...shown.map(pictureOf)].sort());
          const [row] = await knex()('catalog_search')
            .where({ id })
            .select(knex().raw('tsvector_to_array(words) AS words'));
          const found = ((row as { words?: string[] } | undefined)?.words ?? []).filter((word) =>
            /^word\d$/.test(word),
          );
          expect(found).toEqual(shown.map((variant) => `word${variant}`).sort());
        }
        expect((await writer.item(brand, 'pricing')).body.data[0]?.max_market_estimate?.A ?? null).toBe(
          naive.best(),
        );
      }
    }),
    { numRuns: 25 },
  );
}, 300_000);
