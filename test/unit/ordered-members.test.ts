import fc from 'fast-check';
import { compareKeys, type OrderKey } from '../../db/catalog/search/order-key';
import { Bitset } from '../../db/catalog/search/snapshot/bitset';
import { ChangedProducts } from '../../db/catalog/search/snapshot/changed-products';
import { OrderedMembers } from '../../db/catalog/search/snapshot/ordered-members';
import { SnapshotOrder } from '../../db/catalog/search/snapshot/snapshot-order';
import { SORTS } from '../../models/catalog/catalog-query';

const SEED = 20_261_124;
/** More than a fence has between two of its keys, and no whole number of words of a set. */
const PRODUCTS = 403;

const key = fc.record({ popularity: fc.nat(6), sortKey: fc.constantFrom('a', 'b', 'c', 'd', 'e') });
const catalog = fc.record({
  keys: fc.array(key, { minLength: PRODUCTS, maxLength: PRODUCTS }),
  /** Of products that there were and new ones, in turns; null for one that goes. */
  changes: fc.array(fc.array(fc.tuple(fc.nat(PRODUCTS + 30), fc.option(key)), { maxLength: 60 }), {
    maxLength: 3,
  }),
  members: fc.array(fc.boolean(), { minLength: 700, maxLength: 700 }),
  sort: fc.constantFrom(...SORTS),
  offset: fc.nat(PRODUCTS + 50),
  limit: fc.nat(60),
  /** Behind which a page begins. */
  row: fc.tuple(fc.nat(PRODUCTS), key),
});

const idOf = (number: number): string => `product_${number}`;

test('a page of a changed snapshot is a page of all its products in order', async () => {
  await fc.assert(
    fc.asyncProperty(catalog, async ({ keys, changes, members, sort, offset, limit, row }) => {
      const products = keys
        .map((each, number): OrderKey => ({ ...each, id: idOf(number) }))
        .sort(compareKeys.popularity_desc);
      const ordinals = new Map(products.map(({ id }, ordinal) => [id, ordinal]));
      const positions = products
        .map((_, ordinal) => ordinal)
        .sort((left, right) => {
          const [first, second] = [products[left], products[right]];
          return first && second ? compareKeys[sort](first, second) : 0;
        });
      const changed = new ChangedProducts(PRODUCTS);
      const order = new SnapshotOrder(
        sort,
        changed,
        sort === 'popularity_desc' ? null : Uint32Array.from(positions),
      );
      const readKeys = async (asked: readonly number[]) => {
        expect(asked.filter((ordinal) => changed.touched.has(ordinal))).toEqual([]);
        return new Map(
          asked.flatMap((ordinal) =>
            products.slice(ordinal, ordinal + 1).map((each) => [ordinal, each] as const),
          ),
        );
      };
      const now = new Map(products.map((each) => [each.id, each]));
      let living = Bitset.full(PRODUCTS);
      let line = 0;
      for (const turn of changes) {
        const lines = new Map(turn.map(([number, each]) => [idOf(number), each]));
        const added = Array.from(lines, ([id, each]) => {
          const changedRow = each && { ...each, id, category: 'c', terms: [] };
          if (changedRow) now.set(id, changedRow);
          else now.delete(id);
          return { id, line: ++line, ordinal: ordinals.get(id) ?? null, row: changedRow };
        });
        for (const each of added) changed.add(each);
        living = changed.livingAfter(living, added);
        await order.placeChanges(changed.size, readKeys);
      }
      const set = Bitset.empty(living.size);
      const ids: string[] = [];
      living.forEach((ordinal) => {
        if (!members[ordinal]) return;
        set.add(ordinal);
        ids.push(changed.rowAt(ordinal)?.id ?? products[ordinal]?.id ?? '');
      });
      const expected = ids.flatMap((id) => now.get(id) ?? []).sort(compareKeys[sort]);
      const idsFrom = (walk: OrderedMembers) =>
        walk.take(limit).map((ordinal) => changed.rowAt(ordinal)?.id ?? products[ordinal]?.id);

      const page = new OrderedMembers(set, order, PRODUCTS);
      page.skip(offset);
      expect(idsFrom(page)).toEqual(expected.slice(offset, offset + limit).map(({ id }) => id));

      const before = { ...row[1], id: idOf(row[0]) };
      const behind = new OrderedMembers(set, order, PRODUCTS);
      const [place = 0] = await order.placesOf([before], readKeys);
      behind.skipTo(before, place);
      const following = expected.filter((each) => compareKeys[sort](each, before) > 0);
      expect(idsFrom(behind)).toEqual(following.slice(0, limit).map(({ id }) => id));
    }),
    { seed: SEED, numRuns: 200 },
  );
});
