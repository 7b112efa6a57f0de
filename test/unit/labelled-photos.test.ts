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
  const kept: Partial<PredictionRepository> = { correctedPhotos: async () => corrected };
  const [labelled, predictions] = [new LabelledFolders(), kept as PredictionRepository];
  return new QueryMaker(samples, absent, absent, absent, preparer, absent, labelled, predictions);
}

test.each([
  ['a subfolder per product', null],
  ['lines of JSON', '{"photo": "bag/a.jpg", "product": "bag"}\n\n'],
])('photos are labelled by %s, and refused if none shows the catalog', async (_what, labels) => {
  const folder = temporaryFolder();
  for (const product of ['bag', 'watch']) {
    await mkdir(join(folder, product));
    await writeFile(join(folder, product, 'a.jpg'), `a photo of a ${product}`);
  }
  const file = join(folder, 'labels.jsonl');
  if (labels !== null) await writeFile(file, labels);
  const bag = { products: ['bag'], jpegs: [Buffer.from('a photo of a bag')], itemImages: new Set([7]) };
  expect(await queriesWith([]).fromPhotos(folder, 10)).toMatchObject([bag]);
  await writeFile(file, '{"photo": "watch/a.jpg", "product": "watch"}\n');
  await expect(queriesWith([]).fromPhotos(folder, 10)).rejects.toThrow('None of the 1 photos');
});

test('photos with feedback show what their callers say; feedback on a removed product says nothing', async () => {
  const photos = ['front', 'back'].map((side) => Buffer.from(side));
  const corrected = [
    { id: 'first', correctId: 'bag', photos },
    { id: 'second', correctId: null, photos: photos.slice(1) },
    { id: 'third', correctId: 'watch', photos },
  ];
  const made = await queriesWith(corrected).fromFeedback(10);
  expect(made).toHaveLength(2);
  expect(made).toMatchObject([
    { name: 'feedback, 2 photos', products: ['bag'], item: 'bag', jpegs: photos },
    { name: 'feedback', products: [], item: 'second', jpegs: photos.slice(1) },
  ]);
  await expect(queriesWith([]).fromFeedback(10)).rejects.toThrow('accounts keep-photos');
});
