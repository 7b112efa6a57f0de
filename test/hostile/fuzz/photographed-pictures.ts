import sharp from 'sharp';
import { photoOfProduct } from '../../../scripts/lab/generator/generate-bundle';
import { animation } from '../corpus/webp';

const SIDE = 224;
const PHOTOS = 3;

/** Photos of generated products in every accepted form: real pictures with all that encoders write. */
export async function photographedPictures(seed: number): Promise<[name: string, bytes: Buffer][]> {
  const photos = await Promise.all(
    Array.from({ length: PHOTOS }, (_, photoSeed) =>
      photoOfProduct({ seed, index: 7 * photoSeed, photoSeed, level: 1, size: SIDE }),
    ),
  );
  const forms = await Promise.all(photos.map((photo, number) => formsOf(photo, number)));
  return forms.flat();
}

async function formsOf(photo: Buffer, number: number): Promise<[string, Buffer][]> {
  const encoded = await Promise.all([
    sharp(photo).jpeg({ quality: 80 }).toBuffer(),
    sharp(photo).withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer(),
    sharp(photo).greyscale().jpeg().toBuffer(),
    sharp(photo).toColourspace('cmyk').jpeg().toBuffer(),
    sharp(photo).resize(96).png().toBuffer(),
    sharp(photo).resize(96).ensureAlpha(0.5).png({ palette: true }).toBuffer(),
    sharp(photo).resize(64).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
    sharp(photo).webp().toBuffer(),
    sharp(photo).resize(96).ensureAlpha(0.5).webp({ lossless: true }).toBuffer(),
  ]);
  const names = [
    'JPEG',
    'progressive JPEG',
    'grey JPEG',
    'CMYK JPEG',
    'PNG',
    'palette PNG',
    'deep PNG',
    'WebP',
    'lossless WebP',
  ];
  const webp = encoded[7] ?? photo;
  return [
    ...encoded.map((bytes, index): [string, Buffer] => [`${names[index]} ${number}`, bytes]),
    [`animated WebP ${number}`, animation(SIDE, SIDE, [webp, webp])],
  ];
}
