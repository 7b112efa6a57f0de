import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QueryMaker } from '../../models/indexing/query-maker';
import type { ImagePreparer, ImageSamples } from '../../models/ports';
import { LabelledFolders } from '../../workers/image/labelled-photos';

/** A catalog with the bag alone; a prepared picture is its bytes. */
const samples = {
  imagesOf: async (ids) =>
    new Map(ids.filter((id) => id === 'bag').map((id) => [id, [{ id: 7, address: '/images/7.jpg' }]])),
} as Partial<ImageSamples> as ImageSamples;
const preparer = {
  prepare: async (jpeg) => ({ jpeg, width: 1, height: 1, digest: '' }),
} as Partial<ImagePreparer> as ImagePreparer;
const absent = {} as never;
const queries = new QueryMaker(samples, absent, absent, absent, preparer, absent, new LabelledFolders());

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loupe-labels-'));
  for (const product of ['bag', 'watch']) {
    await mkdir(join(folder, product));
    await writeFile(join(folder, product, 'a.jpg'), `a photo of a ${product}`);
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['a subfolder per product', null, ''],
  ['lines of JSON', 'labels.jsonl', '{"photo": "bag/a.jpg", "product": "bag"}\n\n'],
  ['a table', 'labels.csv', 'product,photo\r\nbag,"bag/a.jpg"\r\n"no, ""body""",watch/a.jpg\n'],
])('photos are labelled by %s', async (_what, file, text) => {
  if (file !== null) await writeFile(join(folder, file), text);
  const made = await queries.fromPhotos(folder, 10);
  expect(made.map(({ products, jpeg, itemImages }) => [products, String(jpeg), itemImages])).toEqual([
    [['bag'], 'a photo of a bag', new Set([7])],
  ]);
});

test('photos that show nothing of the catalog are refused', async () => {
  await writeFile(join(folder, 'labels.csv'), 'photo,product\nwatch/a.jpg,watch\n');
  await expect(queries.fromPhotos(folder, 10)).rejects.toThrow('None of the 1 photos');
});
