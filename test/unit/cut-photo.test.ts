import { cutPhoto, STAND_IN } from '../../api/middleware/cut-photo';

const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, index) => (index * index + 7) % 251));
const body = (text: string): Buffer => Buffer.from(text);
const base64 = bytes.toString('base64');

test.each([
  ['base64', base64],
  ['the URL-safe alphabet', bytes.toString('base64url')],
  ['a data URI', `data:image/jpeg;base64,${base64}`],
])('%s is cut out', (_what, text) => {
  const cut = cutPhoto(body(`{"includes":["pricing"],"base64" : "${text}","a":1}`));
  expect(cut?.photo.equals(bytes)).toBe(true);
  expect(cut?.json.toString()).toBe(`{"includes":["pricing"],"base64" : "${STAND_IN}","a":1}`);
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
  const left = body(text);
  expect(cutPhoto(left)).toBeNull();
  expect(left.toString()).toBe(text);
});
