import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';
import { VectorMemory } from '../../db/embeddings/vector-memory';
import { Random } from '../../models/random';
import { dot, normalized } from '../../models/vision/linear-map';

const FOLDER = join(__dirname, '../../db/embeddings');

test('the scan is built from its source', async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(join(FOLDER, 'scan.wat'), 'utf8');
  const { buffer } = parseWat('scan.wat', source, { simd: true }).toBinary({});
  expect(Buffer.from(buffer)).toEqual(readFileSync(join(FOLDER, 'scan.wasm')));
});

test('a search in memory equals comparing every vector, after any changes', async () => {
  const random = new Random('vector memory');
  // Not a multiple of what the scan compares at once.
  const vector = () => normalized(Float32Array.from({ length: 11 }, () => random.bell()));
  const memory = new VectorMemory(11, 2);
  const expected = new Map<number, readonly Float32Array[]>();
  for (let change = 0; change < 400; change += 1) {
    const image = random.integer(1, 30);
    // Without views it is removed; the second view may be missing.
    const views = Array.from({ length: random.integer(0, 2) }, vector);
    for (const [view, each] of views.entries()) memory.put(image, view, each);
    if (views.length === 0) memory.remove(image);
    expected.set(image, views);
    const queries = [vector(), vector()];
    const share = [1, 0.7, 0.1][change % 3] ?? 1;
    const among =
      share === 1 ? undefined : new Set([...expected.keys(), 31].filter(() => random.chance(share)));
    const all = [...expected].filter(([id, own]) => own.length > 0 && (among?.has(id) ?? true));
    const distances = all.map(([id, own]) => ({
      image: id,
      byQuery: queries.map((query) => Math.min(...own.map((view) => 1 - dot(query, view)))),
    }));
    distances.sort((left, right) => Math.min(...left.byQuery) - Math.min(...right.byQuery));
    const near = (distance: number) => expect.closeTo(distance, 3);
    const nearest = distances.slice(0, 5).map((each) => ({ ...each, byQuery: each.byQuery.map(near) }));
    expect(await memory.nearest(queries, 5, among)).toEqual(nearest);
  }
});

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
