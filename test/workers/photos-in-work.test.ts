import { PhotosInWork } from '../../workers/photos-in-work';

/** Work that ends when it is told to. */
function pieces() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    piece: (name: string) => () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.set(name, resolve);
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

test('other work is done at once, and together, while no photos come', () => {
  const photos = new PhotosInWork();
  const { begun, piece } = pieces();
  for (const name of ['a', 'b']) void photos.beside(piece(name));
  expect(begun).toEqual(['a', 'b']);
});

test('other work waits for the photos of callers, all of them, and goes on piece by piece', async () => {
  const photos = new PhotosInWork();
  const { begun, piece, end } = pieces();
  for (const name of ['first', 'second']) void photos.during(piece(name));
  for (const name of ['a', 'b']) void photos.beside(piece(name));
  await end('first');
  expect(begun).toEqual(['first', 'second']);
  await end('second');
  expect(begun).toEqual(['first', 'second', 'a']);
  await end('a');
  expect(begun).toEqual(['first', 'second', 'a', 'b']);
});

test('other work does not wait for ever, nor once it is stopped', async () => {
  const photos = new PhotosInWork();
  void photos.during(() => new Promise(() => undefined));
  await expect(photos.beside(async () => 'done')).resolves.toBe('done');
  await expect(photos.beside(async () => 'stopped', AbortSignal.abort())).resolves.toBe('stopped');
});

test('a piece that fails holds up no other, and a photo that fails is not in work any more', async () => {
  const photos = new PhotosInWork();
  await expect(photos.during(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(photos.beside(() => Promise.reject(new Error('piece')))).rejects.toThrow('piece');
  await expect(photos.beside(async () => 'next')).resolves.toBe('next');
});
