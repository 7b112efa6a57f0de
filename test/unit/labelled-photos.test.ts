import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { QueryMaker } from '../../models/indexing/query-maker';
import type { CorrectedPhotos, ImagePreparer, ImageSamples, PredictionRepository } from '../../models/ports';
import { LabelledFolders } from '../../workers/image/labelled-photos';
import { temporaryFolder } from '../support/temporary-folder';

/** A catalog with the bag alone; a prepared picture is its bytes. */
const samples = {
  imagesOf: async (ids) =>
    new Map(ids.filter((id) => id === 'bag').map((id) => [id, [{ id: 7, address: '/images/7.jpg' }]])),
} as Partial<ImageSamples> as ImageSamples;
const preparer = {
  prepare: async (jpeg) => ({ jpeg, width: 1, height: 1, source: { width: 1, height: 1 }, digest: '' }),
} as Partial<ImagePreparer> as ImagePreparer;
const absent = {} as never;
/** With answers that have feedback and whose photos are kept. */
function queriesWith(corrected: readonly CorrectedPhotos[]): QueryMaker {
  const predictions = {
    correctedPhotos: async () => corrected,
  } as Partial<PredictionRepository> as PredictionRepository;
  const labelled = new LabelledFolders();
  return new QueryMaker(samples, absent, absent, absent, preparer, absent, labelled, predictions);
}
const queries = queriesWith([]);

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  for (const product of ['bag', 'watch']) {
    await mkdir(join(folder, product));
    await writeFile(join(folder, product, 'a.jpg'), `a photo of a ${product}`);
  }
});

test.each([
  ['a subfolder per product', null, ''],
  ['lines of JSON', 'labels.jsonl', '{"photo": "bag/a.jpg", "product": "bag"}\n\n'],
])('photos are labelled by %s', async (_what, file, text) => {
  if (file !== null) await writeFile(join(folder, file), text);
  const made = await queries.fromPhotos(folder, 10);
  expect(made.map(({ products, jpegs, itemImages }) => [products, jpegs.map(String), itemImages])).toEqual([
    [['bag'], ['a photo of a bag'], new Set([7])],
  ]);
});

test('photos that show nothing of the catalog are refused', async () => {
  await writeFile(join(folder, 'labels.jsonl'), '{"photo": "watch/a.jpg", "product": "watch"}\n');
  await expect(queries.fromPhotos(folder, 10)).rejects.toThrow('None of the 1 photos');
});

test('photos with feedback show what their callers say; of a product that is gone nothing is known', async () => {
  const photos = ['front', 'back'].map((side) => Buffer.from(side));
  const made = await queriesWith([
    { id: 'first', correctId: 'bag', photos },
    { id: 'second', correctId: null, photos: photos.slice(1) },
    { id: 'third', correctId: 'watch', photos },
  ]).fromFeedback(10);
  expect(made.map(({ name, products, item, jpegs }) => [name, products, item, jpegs])).toEqual([
    ['feedback, 2 photos', ['bag'], 'bag', photos],
    ['feedback', [], 'second', photos.slice(1)],
  ]);
});

test('without photos that are kept with feedback there is nothing to ask', async () => {
  await expect(queries.fromFeedback(10)).rejects.toThrow('accounts keep-photos');
});
