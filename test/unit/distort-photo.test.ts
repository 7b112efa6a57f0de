import sharp from 'sharp';
import { cutOut } from '../../workers/image/distortion/cut-out';
import { distortPhoto } from '../../workers/image/distortion/distort-photo';

/** A red disc before a background. */
const disc = (background: string): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">${background}<circle cx="100" cy="100" r="60" fill="#c00"/></svg>`,
    ),
  )
    .flatten({ background: '#fff' })
    .jpeg({ quality: 95 })
    .toBuffer();

const studio = () => disc('');
const motley = () =>
  disc(
    Array.from(
      { length: 20 },
      (_, at) => `<rect x="${at * 10}" width="10" height="200" fill="hsl(${at * 30} 80% 50%)"/>`,
    ).join(''),
  );

/** Red, green, blue and opacity at a place, in shares of the side. */
async function pixel(picture: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 4;
  return [...data.subarray(at, at + 4)];
}

test('an item before one colour is cut out; any other picture stays whole', async () => {
  const { png, isAlone } = await cutOut(await studio(), 100);
  const opacity = async (x: number, y: number) => (await pixel(png, x, y))[3];
  expect([isAlone, await opacity(0.05, 0.05), await opacity(0.5, 0.5)]).toEqual([true, 0, 255]);
  const whole = await cutOut(await motley(), 100);
  expect([whole.isAlone, (await pixel(whole.png, 0, 0))[3]]).toEqual([false, 255]);
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
