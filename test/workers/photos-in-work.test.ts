import { PhotosInWork } from '../../workers/photos-in-work';

const FOR_EVER_MS = 1e6;

test('other work waits for the photos of callers, all of them', async () => {
  const photos = new PhotosInWork();
  await photos.none(FOR_EVER_MS);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const photo = (name: string) =>
    photos.during(async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      order.push(name);
    });
  const both = [photo('first'), photo('second')];
  const waiting = photos.none(FOR_EVER_MS).then(() => order.push('catalog'));
  for (const end of ends) end();
  await Promise.all([...both, waiting]);
  expect(order).toEqual(['first', 'second', 'catalog']);
});

test('other work does not wait for ever, nor once it is stopped', async () => {
  const photos = new PhotosInWork();
  void photos.during(() => new Promise(() => undefined));
  await photos.none(1);
  await photos.none(FOR_EVER_MS, AbortSignal.abort());
});

test('a photo that fails is not in work any more', async () => {
  const photos = new PhotosInWork();
  await expect(photos.during(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await photos.none(FOR_EVER_MS);
});
