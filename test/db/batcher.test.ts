import { Batcher, KeyedBatcher } from '../../db/core/batcher';

/** Batches that end when the test says so. */
function batches() {
  const begun: { items: readonly string[]; finish(): void; fail(failure: Error): void }[] = [];
  const work = (items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) =>
      begun.push({ items, finish: () => resolve(items.map((item) => `${item} done`)), fail: reject }),
    );
  return { begun, batcher: new Batcher(work), keyed: new KeyedBatcher(work) };
}

/** Lets everything that is due happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one batch serves all who come in the same moment, in their order', async () => {
  const { begun, batcher } = batches();
  const done = Promise.all([batcher.submit('a'), batcher.submit('b'), batcher.submit('a')]);
  await settled();
  expect(begun.map(({ items }) => items)).toEqual([['a', 'b', 'a']]);
  begun[0]?.finish();
  expect(await done).toEqual(['a done', 'b done', 'a done']);
});

test('who comes while a batch is under way is served by one that begins later', async () => {
  const { begun, batcher } = batches();
  const first = batcher.submit('a');
  await settled();
  const later = Promise.all([batcher.submit('a'), batcher.submit('b')]);
  await settled();
  expect(begun).toHaveLength(1);
  begun[0]?.finish();
  await first;
  await settled();
  expect(begun.map(({ items }) => items)).toEqual([['a'], ['a', 'b']]);
  begun[1]?.finish();
  expect(await later).toEqual(['a done', 'b done']);
});

test('an item that fails alone leaves the others of its batch alone', async () => {
  const batcher = new Batcher(async (items: readonly number[]) =>
    items.map((item) => (item < 0 ? new Error(`${item}`) : item)),
  );
  const done = await Promise.allSettled([batcher.submit(1), batcher.submit(-1), batcher.submit(2)]);
  expect(done).toMatchObject([{ value: 1 }, { reason: { message: '-1' } }, { value: 2 }]);
});

test('a batch that fails is told to those who came with it, and the next one is made', async () => {
  const { begun, batcher } = batches();
  const broken = batcher.submit('a').catch(String);
  await settled();
  const next = batcher.submit('a');
  begun[0]?.fail(new Error('away'));
  expect(await broken).toBe('Error: away');
  await settled();
  begun[1]?.finish();
  expect(await next).toBe('a done');
});

test('a batch that hangs does not hold up the next one for long', async () => {
  const { begun, batcher } = batches();
  void batcher.submit('a');
  await settled();
  const next = batcher.submit('b');
  while (begun.length < 2) await settled();
  begun[1]?.finish();
  expect(await next).toBe('b done');
});

test('items of different keys do not wait for each other', async () => {
  const { begun, keyed } = batches();
  const done = Promise.all([keyed.submit('x', 'a'), keyed.submit('y', 'b'), keyed.submit('x', 'c')]);
  await settled();
  expect(begun.map(({ items }) => items)).toEqual([['a', 'c'], ['b']]);
  for (const batch of begun) batch.finish();
  expect(await done).toEqual(['a done', 'b done', 'c done']);
});
