import { SharedLookup } from '../../db/core/shared-lookup';

/** Look-ups that end when the test says so. */
function lookups() {
  const asked: { keys: readonly string[]; answer(): void; fail(failure: Error): void }[] = [];
  const shared = new SharedLookup<string>(
    (keys) =>
      new Promise((resolve, reject) =>
        asked.push({
          keys,
          answer: () => resolve(new Map(keys.map((key) => [key, `value of ${key}`]))),
          fail: reject,
        }),
      ),
  );
  return { asked, shared };
}

/** Lets everything that is due happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one look-up serves all who ask in the same moment, each key once', async () => {
  const { asked, shared } = lookups();
  const found = Promise.all([shared.find('a'), shared.find('b'), shared.find('a')]);
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  asked[0]?.answer();
  expect(await found).toEqual(['value of a', 'value of b', 'value of a']);
});

test('who asks while a look-up runs gets the answer of one that begins later', async () => {
  const { asked, shared } = lookups();
  const first = shared.find('a');
  await settled();
  const later = Promise.all([shared.find('a'), shared.find('b')]);
  await settled();
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  await first;
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b']]);
  asked[1]?.answer();
  expect(await later).toEqual(['value of a', 'value of b']);
});

test('what is not known is null', async () => {
  const shared = new SharedLookup<string>(async () => new Map());
  expect(await shared.find('a')).toBeNull();
});

test('a look-up that fails is told to its callers, and the next one is made', async () => {
  const { asked, shared } = lookups();
  const broken = shared.find('a').catch(String);
  await settled();
  const next = shared.find('a');
  asked[0]?.fail(new Error('away'));
  expect(await broken).toBe('Error: away');
  await settled();
  asked[1]?.answer();
  expect(await next).toBe('value of a');
});

test('a look-up that hangs does not hold up the next one for long', async () => {
  const { asked, shared } = lookups();
  void shared.find('a');
  await settled();
  const next = shared.find('b');
  while (asked.length < 2) await settled();
  asked[1]?.answer();
  expect(await next).toBe('value of b');
});
