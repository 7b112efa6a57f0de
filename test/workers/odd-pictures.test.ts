import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { decodableJpeg } from '../../workers/image/decodable-jpeg';
import { decodableWebp } from '../../workers/image/decodable-webp';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { lostPixels, oddities } from '../hostile/corpus/oddities';
import { restartedJpeg } from '../hostile/corpus/restarted-jpeg';
import { soundPictures } from '../hostile/corpus/sound-pictures';

/** contract 7.19 over pictures of every form. */
const preparer = () => new SharpImagePreparer({ bytesMax: 2_000_000, pixelsMax: 4_000_000 });
const pictures = soundPictures(7);

const verdictOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'accepted',
    (failure: unknown) => (failure instanceof AppError ? failure.extras.reason : failure),
  );

describe('A picture whose pixels are all there', () => {
  test('is prepared as the sound one, whatever is odd around them', async () => {
    const by = preparer();
    const others: string[] = [];
    const odd = oddities(await pictures);
    for (const { name, bytes, sound } of odd) {
      const [one, other] = await Promise.all([by.prepare(sound), by.prepare(bytes).catch(String)]);
      if (typeof other === 'string' || one.digest !== other.digest)
        others.push(`${name}: ${JSON.stringify(other)}`);
    }
    expect(odd.length).toBeGreaterThan(200);
    expect(others).toEqual([]);
  }, 60_000);

  test('is decoded from the bytes that were sent where nothing is odd', async () => {
    const { jpeg, webp } = await pictures;
    for (const bytes of [...Object.values(jpeg), restartedJpeg()]) expect(decodableJpeg(bytes)).toBe(bytes);
    for (const bytes of [webp.lossy, webp.lossless, webp.alpha]) expect(decodableWebp(bytes)).toBe(bytes);
  });

  test('has a thumbnail', async () => {
    const by = preparer();
    for (const { bytes } of oddities(await pictures)) {
      expect((await sharp(await by.thumbnail(bytes, 32)).metadata()).width).toBe(32);
    }
  }, 60_000);
});

test('A picture that has lost pixels is undecodable, also where it is odd or given an end', async () => {
  const by = preparer();
  const lost = lostPixels(await pictures);
  const verdicts: [string, unknown][] = [];
  for (const { name, bytes } of lost) verdicts.push([name, await verdictOf(by.prepare(bytes))]);
  expect(verdicts.filter(([, verdict]) => verdict !== 'image_undecodable')).toEqual([]);
}, 60_000);
