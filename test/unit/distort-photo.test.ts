import { createCanvas, loadImage } from '@napi-rs/canvas';
import { cutOut } from '../../workers/image/distortion/cut-out';
import { distortPhoto } from '../../workers/image/distortion/distort-photo';

/** A red disc on a background. */
async function disc(background: (x: number) => string): Promise<Buffer> {
  const canvas = createCanvas(200, 200);
  const context = canvas.getContext('2d');
  for (let x = 0; x < 200; x += 10) {
    context.fillStyle = background(x);
    context.fillRect(x, 0, 10, 200);
  }
  context.fillStyle = '#c00';
  context.beginPath();
  context.arc(100, 100, 60, 0, 7);
  context.fill();
  return canvas.encode('jpeg', 95);
}

const studio = () => disc(() => '#fff');
const motley = () => disc((x) => `hsl(${x * 3} 80% 50%)`);

test('an item before one colour is cut out; another picture stays whole', async () => {
  const { pixels, isFree } = await cutOut(await studio(), 100);
  const opacity = (x: number, y: number) => pixels.data[(y * 100 + x) * 4 + 3];
  expect([isFree, opacity(5, 5), opacity(50, 50)]).toEqual([true, 0, 255]);
  const whole = await cutOut(await motley(), 100);
  expect([whole.isFree, whole.pixels.data[3]]).toEqual([false, 255]);
});

test('a distorted photo is the same for the same seed, and another one for another seed or level', async () => {
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
  const image = await loadImage(await distortPhoto(await studio(), 1, 'seed'));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const [red = 0, green = 255, blue = 255] = context.getImageData(
    image.width / 2,
    image.height / 2,
    1,
    1,
  ).data;
  expect(red).toBeGreaterThan(green + 80);
  expect(red).toBeGreaterThan(blue + 80);
});
