import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GradeValues } from '../../models/pricing/estimate';
import { productId } from '../../scripts/lab/generator/generate-bundle';
import { type Bundle, generated } from '../support/generated-bundle';

const CURRENCIES: Readonly<Record<string, string>> = { NA: 'usd', 'EU-UK': 'gbp', 'EU-IE': 'eur' };

let bundle: Bundle;

beforeAll(async () => {
  bundle = await generated({ products: 1200, seed: 42 });
});

describe('the format of a generated bundle', () => {
  test('has ids that are unique and begin with their kind', () => {
    const ids = [
      ...bundle.entities.map(({ id }) => id),
      ...bundle.products.map(({ id }) => id),
      ...bundle.products.flatMap(({ variants }) => variants.map(({ id }) => id)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, kind } of bundle.entities) expect(id.startsWith(`${kind}_`)).toBe(true);
    bundle.products.forEach(({ id }, index) => {
      expect(id).toBe(productId(42, index));
    });
  });

  test('names in parents and attributes only entities of that kind and category, and every node of the hierarchy', () => {
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    const hierarchies = new Map(bundle.categories.map(({ id, hierarchy }) => [id, hierarchy]));
    const wrong: string[] = [];
    const check = (kind: string, id: string, category: string) => {
      const entity = known.get(id);
      if (entity?.kind !== kind || entity.category !== category) wrong.push(`${kind} ${id} in ${category}`);
    };
    for (const { id, parents, kind, category } of bundle.entities) {
      const hierarchy = hierarchies.get(category) ?? [];
      const above = hierarchy.includes(kind) ? hierarchy.slice(0, hierarchy.indexOf(kind)) : [];
      if (Object.keys(parents).join() !== above.join()) wrong.push(`parents of ${id}`);
      for (const [parentKind, parent] of Object.entries(parents)) check(parentKind, parent, category);
    }
    for (const { id, attributes, category } of bundle.products) {
      const nodes = hierarchies.get(category) ?? [];
      if (nodes.length === 0 || !nodes.every((node) => node in attributes)) wrong.push(`attributes of ${id}`);
      for (const [field, value] of Object.entries(attributes)) {
        for (const entity of [value].flat()) check(field, entity, category);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('puts a product under the parents of its innermost entity', () => {
    const known = new Map(bundle.entities.map((entity) => [entity.id, entity]));
    for (const { attributes, category } of bundle.products) {
      const innermost = category === 'handbags' ? attributes['style'] : attributes['dial'];
      expect(attributes).toMatchObject(known.get(`${innermost}`)?.parents ?? { missing: true });
    }
  });

  test('tags styles and products only, out of the vocabulary of their category', () => {
    const vocabulary = new Map(bundle.tags.map((tag) => [tag.id, tag.categories]));
    const tagged = [...bundle.entities, ...bundle.products].filter((row) => (row.tags ?? []).length > 0);
    expect(tagged.some((row) => row.tags?.includes('material:exotic'))).toBe(true);
    for (const row of tagged) {
      expect('kind' in row ? row.kind : 'product').toMatch(/^(style|product)$/);
      for (const tag of row.tags ?? []) expect(vocabulary.get(tag)).toContain(row.category);
    }
  });

  test('prices known variants, grades descending, each region in its currency', () => {
    const variants = new Set(bundle.products.flatMap((product) => product.variants.map(({ id }) => id)));
    const records = [...bundle.estimates, ...bundle.history];
    const foreign = [...records, ...bundle.listings].filter(
      ({ variant, currency, region }) => !variants.has(variant) || currency !== CURRENCIES[region],
    );
    expect(foreign).toEqual([]);
    expect(records.filter((record) => !descends(record))).toEqual([]);
    expect(records.some((record) => gradesOf(record).includes(null))).toBe(true);
    expect(records.some((record) => !gradesOf(record).includes(null))).toBe(true);
  });

  test('writes no price record twice under one key', () => {
    const keys = [
      bundle.estimates.map((e) => [e.variant, e.source, e.region].join(' ')),
      bundle.history.map((h) => [h.variant, h.region, h.date, h.source].join(' ')),
      bundle.listings.map((l) => [l.variant, l.region, l.link].join(' ')),
    ];
    for (const list of keys) {
      expect(list.length).toBeGreaterThan(100);
      expect(new Set(list).size).toBe(list.length);
    }
  });

  test('names pictures that are in the bundle', async () => {
    const { products, folder, summary } = await generated({
      products: 4,
      seed: 9,
      images: true,
      imageSize: 64,
    });
    const images = products.flatMap((product) => product.images);
    expect(images).toHaveLength(4);
    expect(summary.images).toBe(4);
    for (const image of images) expect(existsSync(join(folder, image))).toBe(true);
  });

  test('counts what it wrote', () => {
    const { summary, ...written } = bundle;
    expect(summary).toMatchObject({
      categories: written.categories.length,
      tags: written.tags.length,
      entities: written.entities.length,
      products: 1200,
      variants: written.products.flatMap((product) => product.variants).length,
      estimates: written.estimates.length,
      history: written.history.length,
      listings: written.listings.length,
      images: 0,
    });
  });
});

/** Whether the grades that are known are above 0 and fall strictly. */
function descends(grades: GradeValues): boolean {
  const known = gradesOf(grades).filter((value) => value !== null);
  return known.every((value, at) => value > 0 && value < (known[at - 1] ?? Infinity));
}

function gradesOf({ A, B, C, D }: GradeValues): (number | null)[] {
  return [A, B, C, D];
}
