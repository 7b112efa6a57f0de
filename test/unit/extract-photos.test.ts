import { extractPhotos } from '../../api/wire/photos';

const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, index) => (index * index + 7) % 251));
const base64 = bytes.toString('base64');

test.each([
  ['base64', base64],
  ['the URL-safe alphabet', bytes.toString('base64url')],
  ['a data URI', `data:image/jpeg;base64,${base64}`],
])('%s is cut out', (_what, text) => {
  const { json, photos } = extractPhotos(Buffer.from(`{"includes":["pricing"],"base64" : "${text}","a":1}`));
  const [[placeholder, photo] = []] = photos;
  expect(photo?.equals(bytes)).toBe(true);
  expect(json.toString()).toBe(`{"includes":["pricing"],"base64" : "${placeholder}","a":1}`);
});

test.each([
  ['without a photo', '{"url":"https://example.com/a.jpg"}'],
  ['with a short text', '{"base64":"AAAA"}'],
  ['that is not a text', '{"base64":[1]}'],
  ['with escapes', `{"base64":"${base64}\\n"}`],
  ['with white space', `{"base64":"${base64} AAAA"}`],
  ['with padding within', `{"base64":"AA==${base64}"}`],
  ['with one digit too many', `{"base64":"${bytes.subarray(0, 699_999).toString('base64')}A"}`],
  ['that does not end', `{"base64":"${base64}`],
  ['with a percent-encoded head', `{"base64":"data%3Aimage/jpeg;base64,${base64}"}`],
])('a body %s is left as it is', (_what, text) => {
  const body = Buffer.from(text);
  expect(extractPhotos(body)).toEqual({ json: body, photos: new Map() });
  expect(body.toString()).toBe(text);
});

test('each of several photos is cut out, except one that cannot be', () => {
  const images = [bytes, bytes.subarray(9_000)];
  const left = [{ base64: 'AAAA' }, { base64: `${base64} ` }];
  const sent = { images: [...images.map((image) => ({ base64: image.toString('base64') })), ...left] };
  const { json, photos } = extractPhotos(Buffer.from(JSON.stringify(sent)));
  expect([...photos.values()].map((photo, at) => photo.equals(images[at] ?? bytes))).toEqual([true, true]);
  const placeholders = [...photos.keys()].map((placeholder) => ({ base64: placeholder }));
  expect(JSON.parse(json.toString())).toEqual({ images: [...placeholders, ...left] });
});
