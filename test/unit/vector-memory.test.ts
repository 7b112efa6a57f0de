import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';
import { VectorMemory } from '../../db/embeddings/vector-memory';
import { normalized } from '../../models/vision/linear-map';

const FOLDER = join(__dirname, '../../db/embeddings');

test('the scan is built from its source', async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(join(FOLDER, 'scan.wat'), 'utf8');
  const { buffer } = parseWat('scan.wat', source, { simd: true }).toBinary({});
  expect(Buffer.from(buffer)).toEqual(readFileSync(join(FOLDER, 'scan.wasm')));
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

test('a search finds the nearest, ties by id, also among few pictures or many alone', async () => {
  const memory = new VectorMemory(2, 1);
  const view = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle));
  for (let image = 8; image >= 1; image -= 1) memory.put(image, 0, view(Math.ceil(image / 2) / 8));
  for (const [images, among] of [
    [[1]],
    [[8], [8]],
    [
      [2, 4, 5, 6, 7],
      [7, 6, 5, 4, 2],
    ],
  ] as const) {
    const found = await memory.nearest([view(0)], images.length, among && new Set(among));
    expect(found.map(({ image }) => image)).toEqual(images);
  }
});

test('pictures take the memory of removed ones', () => {
  const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Growing } } })
    .WebAssembly;
  const grown = jest.spyOn(Memory.prototype, 'grow');
  const memory = new VectorMemory(512, 1);
  for (let image = 1; image <= 2_000; image += 1) {
    memory.put(image, 0, new Float32Array(512));
    memory.remove(image);
  }
  expect(grown).toHaveBeenCalledTimes(1);
});

interface Growing {
  grow(pages: number): number;
}
