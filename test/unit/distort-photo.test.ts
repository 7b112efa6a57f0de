import sharp from 'sharp';
import { restrictSharp } from '../../workers/image/decode-picture';
import { distortPhoto } from '../../workers/image/distortion/distort-photo';

/** A red item on white. */
const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 40, channels: 3, background: '#cc0000' } })
    .extend({ top: 60, bottom: 60, left: 60, right: 60, background: '#fff' })
    .jpeg()
    .toBuffer();

test('a distorted photo is the same for the same keys, and another for other keys or another level', async () => {
  const item = await picture();
  const [same, again, other, harder] = await Promise.all([
    distortPhoto(item, 1, 'seed', 1),
    distortPhoto(item, 1, 'seed', 1),
    distortPhoto(item, 1, 'seed', 2),
    distortPhoto(item, 3, 'seed', 1),
  ]);
  expect(same.equals(again)).toBe(true);
  expect(same.equals(other)).toBe(false);
  expect(same.equals(harder)).toBe(false);
});

test('photos are distorted in a process that decodes only what callers may send, and still show the item', async () => {
  const item = await picture();
  restrictSharp();
  await expect(sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')).metadata()).rejects.toThrow();
  const photo = sharp(await distortPhoto(item, 1, 'guarded'));
  expect(await photo.metadata()).toMatchObject({ format: 'jpeg', width: 448, height: 448 });
  const middle = photo.extract({ left: 224, top: 224, width: 1, height: 1 });
  const [red = 0, green = 255, blue = 255] = await middle.raw().toBuffer();
  expect(red).toBeGreaterThan(green + 80);
  expect(red).toBeGreaterThan(blue + 80);
});
