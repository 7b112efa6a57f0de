import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import wabt from 'wabt';
import { VectorMemory } from '../../db/embeddings/vector-memory';
import { normalized } from '../../models/vision/linear-map';

const FOLDER = join(__dirname, '../../db/embeddings');
/** Not a multiple of what the scan compares at once. */
const DIMENSIONS = 11;
const VIEWS = 2;

const vector = fc
  .array(fc.integer({ min: -100, max: 100 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => normalized(Float32Array.from(values)));
const image = fc.integer({ min: 1, max: 12 });
/** Without views it is removed. */
const change = fc.record({ image, views: fc.array(vector, { maxLength: VIEWS }) });

test('the scan is built from its source', async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(join(FOLDER, 'scan.wat'), 'utf8');
  const { buffer } = parseWat('scan.wat', source, { simd: true }).toBinary({});
  expect(Buffer.from(buffer)).toEqual(readFileSync(join(FOLDER, 'scan.wasm')));
});

test('a search in memory equals comparing every vector, after any changes', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 30 }),
      fc.array(vector, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 14 }),
      fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 14 })), { nil: undefined }),
      async (changes, queries, count, only) => {
        const memory = new VectorMemory(DIMENSIONS, VIEWS);
        const expected = new Map<number, readonly Float32Array[]>();
        for (const { image, views } of changes) {
          for (const [view, each] of views.entries()) memory.put(image, view, each);
          if (views.length > 0) expected.set(image, views);
          else {
            memory.remove(image);
            expected.delete(image);
          }
        }
        expect(memory.size).toBe(expected.size);
        const among = only && new Set(only);
        const found = await memory.nearest(queries, count, among);
        const all = [...expected].filter(([image]) => among?.has(image) ?? true);
        expect(found).toHaveLength(Math.min(count, all.length));
        expect(new Set(found.map(({ image }) => image)).size).toBe(found.length);
        const distances = all
          .map(([, views]) => Math.min(...queries.map((query) => distanceOf(query, views))))
          .sort((left, right) => left - right);
        found.forEach(({ image, byQuery }, at) => {
          const own = queries.map((query) => distanceOf(query, expected.get(image) ?? []));
          byQuery.forEach((distance, query) => {
            expect(distance).toBeCloseTo(own[query] ?? 9, 3);
          });
          expect(Math.min(...byQuery)).toBeCloseTo(distances[at] ?? 9, 3);
        });
      },
    ),
  ));

test('a search of many vectors lets others have their turn', async () => {
  const [values, pictures] = [512, 12_000];
  const memory = new VectorMemory(values, 3);
  const [usual, other] = [3, 7].map((step) =>
    normalized(Float32Array.from({ length: values }, (_, at) => (at % step) - 1)),
  ) as [Float32Array, Float32Array];
  for (let image = 1; image <= pictures; image += 1) memory.put(image, 0, image === 4_000 ? other : usual);
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  const [found] = await memory.nearest([other], 1);
  expect(found).toEqual({ image: 4_000, byQuery: [expect.closeTo(0, 3)] });
  expect(hadTurn).toBe(true);
});

const distanceOf = (query: Float32Array, views: readonly Float32Array[]): number =>
  Math.min(...views.map((view) => 1 - query.reduce((sum, value, at) => sum + value * (view[at] ?? 0), 0)));
