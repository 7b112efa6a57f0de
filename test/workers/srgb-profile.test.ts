import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { isSrgbProfile } from '../../workers/image/srgb-profile';
import { temporaryFolder } from '../support/temporary-folder';

/** Profiles that need no conversion, recognised by their content. */
const SIDE = 96;

const colours = Buffer.from(
  Array.from({ length: SIDE * SIDE * 3 }, (_, index) => {
    const [x, y, channel] = [Math.floor(index / 3) % SIDE, Math.floor(index / 3 / SIDE), index % 3];
    return Math.round((255 * ([x, y, SIDE - 1 - x][channel] ?? 0)) / (SIDE - 1));
  }),
);
const raw = () => sharp(colours, { raw: { width: SIDE, height: SIDE, channels: 3 } });

const profileOf = async (picture: Buffer): Promise<Buffer> =>
  (await sharp(picture).metadata()).icc ?? Buffer.alloc(0);

const tagged = (profile: 'srgb' | 'p3') => raw().withIccProfile(profile, { attach: true }).png().toBuffer();

/** sRGB by its formula, as the canvas of Chrome writes it. */
const FORMULA = Buffer.from(
  'AAAByAAAAAAEMAAAbW50clJHQiBYWVogB+AAAQABAAAAAAAAYWNzcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAPbWAAEAAAAA0y0AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJZGVzYwAAAPAAAAAkclhZWgAAARQAAAAUZ1hZWgAAASgAAAAUYlhZWgAAATwAAAAUd3RwdAAAAVAAAAAUclRSQwAAAWQAAAAoZ1RSQwAAAWQAAAAoYlRSQwAAAWQAAAAoY3BydAAAAYwAAAA8bWx1YwAAAAAAAAABAAAADGVuVVMAAAAIAAAAHABzAFIARwBCWFlaIAAAAAAAAG+iAAA49QAAA5BYWVogAAAAAAAAYpkAALeFAAAY2lhZWiAAAAAAAAAkoAAAD4QAALbPWFlaIAAAAAAAAPbWAAEAAAAA0y1wYXJhAAAAAAAEAAAAAmZmAADypwAADVkAABPQAAAKWwAAAAAAAAAAbWx1YwAAAAAAAAABAAAADGVuVVMAAAAgAAAAHABHAG8AbwBnAGwAZQAgAEkAbgBjAC4AIAAyADAAMQA2',
  'base64',
);

async function drawn(): Promise<Buffer> {
  const file = join(temporaryFolder(), 'formula.icc');
  await writeFile(file, FORMULA);
  return raw().withIccProfile(file, { attach: true }).jpeg().toBuffer();
}

test('sRGB is recognised as a table and as a formula; other primaries or another tone curve are not sRGB', async () => {
  const otherCurve = Buffer.from(FORMULA);
  otherCurve.writeInt32BE(0x10000, FORMULA.indexOf('para') + 12);
  const profiles = [
    await profileOf(await tagged('srgb')),
    FORMULA,
    await profileOf(await tagged('p3')),
    otherCurve,
  ];
  expect(profiles.map(isSrgbProfile)).toEqual([true, true, false, false]);
});

test('whatever bytes a profile has, the check ends in yes or no', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat(FORMULA.length), (bytes, at) => {
      const broken = Buffer.concat([FORMULA.subarray(0, at), bytes]);
      return typeof isSrgbProfile(broken) === 'boolean';
    }),
  );
});

test('a picture in sRGB is prepared as if its profile had been converted, to within a level; a wider one is', async () => {
  const preparer = new SharpImagePreparer({ bytesMax: 2 ** 20, pixelsMax: 2 ** 20 });
  const AS_PREPARED = { quality: 88, chromaSubsampling: '4:4:4' };
  for (const picture of [await drawn(), await tagged('srgb')]) {
    const { jpeg } = await preparer.prepare(picture);
    const converted = await sharp(picture).jpeg(AS_PREPARED).toBuffer();
    const [ours, theirs] = [await sharp(jpeg).raw().toBuffer(), await sharp(converted).raw().toBuffer()];
    const apart = ours.reduce((sum, value, index) => sum + Math.abs(value - (theirs[index] ?? 0)), 0);
    expect(apart / ours.length).toBeLessThan(1);
  }
  const wide = await tagged('p3');
  const taken = await sharp(wide, { ignoreIcc: true }).jpeg(AS_PREPARED).toBuffer();
  expect((await preparer.prepare(wide)).jpeg.equals(taken)).toBe(false);
});
