import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { PhotoMemory } from '../../workers/photo-memory';
import { tinyManifest } from './tiny-models';

const version = (id: number): EmbeddingVersion => ({
  id,
  model: 'tiny@1.0.0',
  manifest: tinyManifest(2),
  state: 'live',
  createdAt: new Date(0),
  adaptation: null,
  promotedAt: null,
});

const photo = 'digest of a photo';

/** Computes another vector each time, and counts. */
function embedder() {
  let computed = 0;
  return {
    embed: async () => [Float32Array.of(++computed, 0)],
    computed: () => computed,
  };
}

test('an identical photo on the same version is computed once, also when two come at the same time', async () => {
  const [memory, { embed, computed }] = [new PhotoMemory(1024), embedder()];
  const [first, second] = await Promise.all([
    memory.vectorsOf(version(1), photo, embed),
    memory.vectorsOf(version(1), photo, embed),
  ]);
  const third = await memory.vectorsOf(version(1), photo, embed);
  expect([second, third]).toEqual([first, first]);
  expect(computed()).toBe(1);
});

test('another version and another photo are computed', async () => {
  const [memory, { embed, computed }] = [new PhotoMemory(1024), embedder()];
  await memory.vectorsOf(version(1), photo, embed);
  await memory.vectorsOf(version(2), photo, embed);
  await memory.vectorsOf(version(1), 'digest of another', embed);
  expect(computed()).toBe(3);
});

test('a failure is not remembered', async () => {
  const memory = new PhotoMemory(1024);
  await expect(
    memory.vectorsOf(version(1), photo, () => Promise.reject(new Error('no engine'))),
  ).rejects.toThrow('no engine');
  const { embed } = embedder();
  expect(await memory.vectorsOf(version(1), photo, embed)).toEqual([Float32Array.of(1, 0)]);
});

test('what was seen longest ago makes room', async () => {
  const [memory, { embed, computed }] = [new PhotoMemory(20), embedder()];
  for (const name of ['one', 'two', 'three', 'three', 'one']) {
    await memory.vectorsOf(version(1), name, embed);
  }
  expect(computed()).toBe(4);
});

test('without room nothing is remembered', async () => {
  const [memory, { embed, computed }] = [new PhotoMemory(0), embedder()];
  await memory.vectorsOf(version(1), photo, embed);
  await memory.vectorsOf(version(1), photo, embed);
  expect(computed()).toBe(2);
});
