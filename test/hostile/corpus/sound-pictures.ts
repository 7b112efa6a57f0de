import sharp, { type Sharp } from 'sharp';
import { Random } from '../../../models/random';
import { animation } from './webp';

const WIDTH = 96;
const HEIGHT = 72;

/** Well-formed pictures of one scene in every form that is accepted; what hostile ones are made of. */
export interface SoundPictures {
  readonly jpeg: Readonly<Record<'baseline' | 'progressive' | 'grey' | 'cmyk', Buffer>>;
  readonly png: Readonly<
    Record<'rgb' | 'rgba' | 'palette' | 'grey' | 'greyAlpha' | 'deep' | 'interlaced', Buffer>
  >;
  readonly webp: Readonly<Record<'lossy' | 'lossless' | 'alpha' | 'animated', Buffer>>;
}

/** The same seed gives the same pictures. */
export async function soundPictures(seed: number): Promise<SoundPictures> {
  const scene = () => sceneOf(seed, 3);
  const clear = () => sceneOf(seed, 4);
  const [baseline, progressive, grey, cmyk] = await all(
    scene().jpeg(),
    scene().jpeg({ progressive: true }),
    scene().greyscale().jpeg(),
    scene().toColourspace('cmyk').jpeg(),
  );
  const [rgb, rgba, palette, greyPng, greyAlpha, deep, interlaced] = await all(
    scene().png(),
    clear().png(),
    clear().png({ palette: true, colours: 64 }),
    scene().greyscale().png(),
    clear().greyscale().png(),
    scene().toColourspace('rgb16').png(),
    scene().png({ progressive: true }),
  );
  const [lossy, lossless, alpha, other] = await all(
    scene().webp(),
    scene().webp({ lossless: true }),
    clear().webp(),
    sceneOf(seed + 1, 3).webp(),
  );
  return {
    jpeg: { baseline, progressive, grey, cmyk },
    png: { rgb, rgba, palette, grey: greyPng, greyAlpha, deep, interlaced },
    webp: { lossy, lossless, alpha, animated: animation(WIDTH, HEIGHT, [lossy, other]) },
  };
}

/** Every picture with its name. */
export function namedPictures(pictures: SoundPictures): [name: string, bytes: Buffer][] {
  return Object.entries(pictures).flatMap(([format, forms]) =>
    Object.entries(forms as Record<string, Buffer>).map(([form, bytes]): [string, Buffer] => [
      `${form} ${format}`,
      bytes,
    ]),
  );
}

type Four = [Buffer, Buffer, Buffer, Buffer];
type Seven = [...Four, Buffer, Buffer, Buffer];

async function all(...pictures: [Sharp, Sharp, Sharp, Sharp]): Promise<Four>;
async function all(...pictures: [Sharp, Sharp, Sharp, Sharp, Sharp, Sharp, Sharp]): Promise<Seven>;
async function all(...pictures: Sharp[]): Promise<Buffer[]> {
  return Promise.all(pictures.map((picture) => picture.toBuffer()));
}

/** A disc before a gradient with some grain: edges, areas and detail. */
function sceneOf(seed: number, channels: 3 | 4): Sharp {
  const random = new Random('hostile', seed);
  const pixels = Buffer.alloc(WIDTH * HEIGHT * channels);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    const x = at % WIDTH;
    const y = Math.floor(at / WIDTH);
    const inside = (x - WIDTH / 2) ** 2 + (y - HEIGHT / 2) ** 2 < (HEIGHT / 3) ** 2;
    const grain = random.integer(0, 12);
    const colour = inside ? [190 + grain, 60, 40 + y] : [x * 2, 120 + grain, y * 3];
    for (let channel = 0; channel < channels; channel += 1) {
      pixels[at * channels + channel] = channel === 3 ? (inside ? 255 : 2 * x) : (colour[channel] ?? 0);
    }
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels } });
}
