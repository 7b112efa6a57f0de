import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { decodableJpeg } from '../../workers/image/decodable-jpeg';
import { decodableWebp } from '../../workers/image/decodable-webp';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { PICTURES, soundPicture } from '../hostile/corpus';

/** contract 7.19 over the odd and the damaged pictures of `test/hostile/corpus.jsonl`. */
const preparer = () => new SharpImagePreparer({ bytesMax: 2_000_000, pixelsMax: 4_000_000 });
const ofKind = (kind: string) => PICTURES.filter((picture) => picture.kind === kind);

describe('A picture whose pixels are all there', () => {
  test('is prepared as the sound one, whatever is odd around them', async () => {
    const by = preparer();
    const different: string[] = [];
    for (const { name, bytes, sound } of ofKind('odd')) {
      const [one, other] = await Promise.all([
        by.prepare(soundPicture(sound ?? '')),
        by.prepare(bytes).catch(String),
      ]);
      if (typeof other === 'string' || !one.jpeg.equals(other.jpeg)) different.push(name);
    }
    expect(ofKind('odd').length).toBeGreaterThan(150);
    expect(different).toEqual([]);
  }, 60_000);

  test('is decoded from the bytes that were sent where nothing is odd', () => {
    const sound = ofKind('sound').filter(({ name }) => !/png|animated/.test(name));
    for (const { name, bytes } of sound) {
      expect(name.endsWith('jpeg') ? decodableJpeg(bytes) : decodableWebp(bytes)).toBe(bytes);
    }
  });

  test('has a thumbnail', async () => {
    const by = preparer();
    for (const { bytes } of ofKind('odd')) {
      expect((await sharp(await by.thumbnail(bytes, 32)).metadata()).width).toBe(32);
    }
  }, 60_000);
});

test('A picture that has lost pixels is undecodable, also where it is odd or given an end', async () => {
  const by = preparer();
  const verdicts: [string, unknown][] = [];
  for (const { name, bytes } of ofKind('lost pixels')) {
    const failure: unknown = await by.prepare(bytes).catch((thrown: unknown) => thrown);
    verdicts.push([name, failure instanceof AppError ? failure.extras.reason : failure]);
  }
  expect(verdicts.length).toBeGreaterThan(40);
  expect(verdicts.filter(([, verdict]) => verdict !== 'image_undecodable')).toEqual([]);
}, 60_000);
