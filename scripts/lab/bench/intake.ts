import sharp from 'sharp';
import { cutPhotos } from '../../../api/middleware/cut-photos';
import { PREPARED_SIDE } from '../../../workers/image/decode-picture';
import { SharpImagePreparer } from '../../../workers/image/sharp-image-preparer';
import { type Cell, type Measurement, percentile, runConcurrently } from './measure';
import { drawPhotos } from './vision-installation';

/** As telephones send photos after their own shrinking, and as they take them. */
const SIDES = [1440, 3000];
const PRODUCTS = 300;
/** What the preparer asks of sharp at the end. */
const PREPARED = { quality: 88, chromaSubsampling: '4:4:4' } as const;

/** One way of doing a part of the intake, or all of it. */
type Way = readonly [name: string, photo: (photo: Photo) => Promise<unknown>];

interface Photo {
  readonly bytes: Buffer;
  /** With a profile of a wider colour space, as some telephones give it. */
  readonly wide: Buffer;
  readonly body: Buffer;
}

/**
 * The intake of photos, one at a time, beside sharp's own decode, shrink and encode of the same photos: milliseconds and
 * processor time, and the ratio of that.
 */
export async function benchIntake({ calls }: { readonly calls: number }): Promise<Measurement> {
  const preparer = new SharpImagePreparer({ bytesMax: 2 ** 26, pixelsMax: 50_000_000 });
  const own = (bytes: Buffer, options: sharp.SharpOptions = {}) =>
    sharp(bytes, options).resize(PREPARED_SIDE, PREPARED_SIDE, { fit: 'inside' }).jpeg(PREPARED).toBuffer();
  const ways: readonly Way[] = [
    ['sharp alone, colours as they are', ({ bytes }) => own(bytes, { ignoreIcc: true })],
    ['sharp alone, colours converted', ({ bytes }) => own(bytes)],
    ['body taken apart, photo prepared', ({ body }) => preparer.prepare(photoIn(body))],
    ['the same, a wider colour space', ({ wide }) => preparer.prepare(wide)],
  ];
  const rows: Cell[][] = [];
  for (const side of SIDES) {
    const photos = await Promise.all((await drawPhotos(PRODUCTS, side)).slice(0, 8).map(photoOf));
    let limit: number | undefined;
    for (const [name, prepare] of ways) {
      const { p50, processorMs } = await measure(photos, calls, prepare);
      limit ??= processorMs;
      const ratio = (processorMs / limit).toFixed(2);
      rows.push([name, `${side} x ${side}`, p50.toFixed(1), processorMs.toFixed(1), ratio]);
    }
  }
  return {
    title: 'intake of a photo, one at a time',
    head: ['', 'pixels', 'p50 ms', 'processor ms', 'of sharp alone'],
    rows,
    notes: ['The photos are drawn, and carry a colour profile of sRGB.'],
  };
}

async function photoOf(bytes: Buffer): Promise<Photo> {
  const wide = await sharp(bytes).withIccProfile('p3').jpeg({ quality: 90 }).toBuffer();
  return { bytes, wide, body: Buffer.from(JSON.stringify({ base64: bytes.toString('base64') })) };
}

/** The bytes of a body end where its photo began, so each call has its own. */
function photoIn(body: Buffer): Buffer {
  const [photo] = cutPhotos(Buffer.from(body)).photos.values();
  if (!photo) throw new Error('the photo was not found in its body');
  return photo;
}

async function measure(photos: readonly Photo[], calls: number, prepare: Way[1]) {
  const run = (count: number) =>
    runConcurrently(count, 1, async (index) => {
      const photo = photos[index % photos.length];
      if (photo) await prepare(photo);
    });
  await run(photos.length);
  const before = process.cpuUsage();
  const { each } = await run(calls);
  const { user, system } = process.cpuUsage(before);
  return { p50: percentile(each, 0.5), processorMs: (user + system) / 1000 / calls };
}
