import sharp from 'sharp';
import { decodableJpeg } from '../../workers/image/decodable-jpeg';
import { decodableWebp } from '../../workers/image/decodable-webp';
import { SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { PICTURES } from '../hostile/corpus';

/** contract 7.19 over the odd pictures of `test/hostile/corpus.jsonl`; `hostile-corpus.test.ts` sends those that lost pixels. */
const by = new SharpImagePreparer({ bytesMax: 2_000_000, pixelsMax: 4_000_000 });
const ofKind = (kind: string) => PICTURES.filter((picture) => picture.kind === kind);

test('a picture with all its pixels is prepared as the sound one, whatever is odd around them', async () => {
  const sound = new Map(ofKind('sound').map(({ name, bytes }) => [name, bytes]));
  const different: string[] = [];
  for (const { name, bytes, sound: same } of ofKind('odd')) {
    const one = await by.prepare(sound.get(same) ?? Buffer.alloc(0));
    const other = await by.prepare(bytes).catch(() => null);
    if (!other?.jpeg.equals(one.jpeg)) different.push(name);
    expect((await sharp(await by.thumbnail(bytes, 32)).metadata()).width).toBe(32);
  }
  expect(ofKind('odd').length).toBeGreaterThan(150);
  expect(different).toEqual([]);
});

test('a picture with nothing odd is decoded from the bytes that were sent', () => {
  for (const { name, bytes } of ofKind('sound').filter(({ name }) => !/png|animated/.test(name)))
    expect(name.endsWith('jpeg') ? decodableJpeg(bytes) : decodableWebp(bytes)).toBe(bytes);
});
