import sharp from 'sharp';
import { guardSharp } from '../../workers/image/decode-picture';
import { cutOut } from '../../workers/image/distortion/cut-out';
import { distortPhoto } from '../../workers/image/distortion/distort-photo';

const SIDE = 200;

/** A red disc before a background, whose colour depends on x. */
function disc(background: (x: number) => readonly number[]): Promise<Buffer> {
  const pixels = Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    return Math.hypot(x - 100, y - 100) < 60 ? [204, 0, 0] : background(x);
  });
  return sharp(Buffer.from(pixels.flat()), { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer();
}

const studio = () => disc(() => [255, 255, 255]);
const motley = () => disc((x) => [x, (x * 7) % 255, 255 - x]);

/** Red, green, blue and opacity at a place, in shares of the side. */
async function pixel(picture: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 4;
  return [...data.subarray(at, at + 4)];
}

test('an item before one colour is cut out; any other picture stays whole', async () => {
  const { data, isAlone } = await cutOut(await studio(), 100);
  expect([isAlone, data[(5 * 100 + 5) * 4 + 3], data[(50 * 100 + 50) * 4 + 3]]).toEqual([true, 0, 255]);
  const whole = await cutOut(await motley(), 100);
  expect([whole.isAlone, whole.data[3]]).toEqual([false, 255]);
});

test('a grey picture that is not square can be distorted', async () => {
  const grey = await sharp(await studio())
    .extract({ left: 20, top: 60, width: 160, height: 80 })
    .grayscale()
    .jpeg()
    .toBuffer();
  const { width, height } = await sharp(await distortPhoto(grey, 2, 'seed')).metadata();
  expect([width, height]).toEqual([448, 448]);
});

test('a distorted photo is the same for the same keys, and another for other keys or another level', async () => {
  const picture = await studio();
  const [same, again, other, harder] = await Promise.all([
    distortPhoto(picture, 1, 'seed', 1),
    distortPhoto(picture, 1, 'seed', 1),
    distortPhoto(picture, 1, 'seed', 2),
    distortPhoto(picture, 3, 'seed', 1),
  ]);
  expect(same.equals(again)).toBe(true);
  expect(same.equals(other)).toBe(false);
  expect(same.equals(harder)).toBe(false);
});

test('the item is still there', async () => {
  const [red = 0, green = 255, blue = 255] = await pixel(
    await distortPhoto(await studio(), 1, 'seed'),
    0.5,
    0.5,
  );
  expect(red).toBeGreaterThan(green + 80);
  expect(red).toBeGreaterThan(blue + 80);
});

test('photos are distorted in a process that decodes what callers may send and nothing else', async () => {
  const picture = await studio();
  guardSharp();
  await expect(sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')).metadata()).rejects.toThrow();
  for (const level of [1, 2, 3] as const) {
    const { format } = await sharp(await distortPhoto(picture, level, 'guarded')).metadata();
    expect(format).toBe('jpeg');
  }
});
