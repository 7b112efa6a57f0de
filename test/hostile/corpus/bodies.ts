import { deflateSync, gzipSync } from 'node:zlib';
import type { CorpusLimits, HostileEntry, Verdict } from './entry';
import type { SoundPictures } from './sound-pictures';

const KIND = 'bodies';
const V3 = '/v3/vision/identify';
const V2 = '/v2/vision';

/** Bodies that are no photo in a JSON object, or hardly. */
export function bodies({ jpeg }: SoundPictures, limits: CorpusLimits): HostileEntry[] {
  const base64 = jpeg.baseline.toString('base64');
  return [...wrongTypes(base64), ...wrongJson(base64), ...wrongHttp(base64), ...large(limits)];
}

const body = (
  name: string,
  make: () => Buffer | string,
  verdicts: readonly Verdict[],
  headers = {},
): HostileEntry => ({
  kind: KIND,
  name,
  make: () => Buffer.from(make()),
  headers,
  path: V3,
  verdicts,
});
const json = (name: string, value: unknown, verdicts: readonly Verdict[], path = V3): HostileEntry => ({
  ...body(name, () => JSON.stringify(value), verdicts),
  path,
});

function wrongTypes(base64: string): HostileEntry[] {
  const nowhere = 'http://127.0.0.1:9/a.jpg';
  const values = [0, 1, true, false, [], [base64], {}, { base64 }, null] as const;
  return [
    ...values.map((value) =>
      json(`base64 is ${JSON.stringify(value).slice(0, 20)}`, { base64: value }, ['400 base64']),
    ),
    ...values.map((value) =>
      json(`url is ${JSON.stringify(value).slice(0, 20)}`, { url: value }, ['400 url']),
    ),
    ...values.map((value) =>
      json(
        `v2: base64 is ${JSON.stringify(value).slice(0, 20)}`,
        { base64: value },
        ['400 base64', '400 url'],
        V2,
      ),
    ),
    json('neither', {}, ['400 url']),
    json('v2: neither', {}, ['400 url'], V2),
    json('other spellings', { Base64: base64, URL: nowhere }, ['400 Base64', '400 URL']),
    json('url wins over base64', { url: nowhere, base64 }, ['422 url_blocked']),
    json('url wins over what is no base64', { url: nowhere, base64: '!' }, ['422 url_blocked']),
    json('a broken url beside a good base64', { url: 'nowhere', base64 }, ['400 url']),
    json('a data URI as url', { url: `data:image/jpeg;base64,${base64}` }, ['400 url']),
    json('an unknown key', { base64, top_k: 5 }, ['400 top_k']),
    json('v2: an unknown key', { base64, top_k: 5 }, ['200'], V2),
    json('includes of nothing', { base64, includes: [] }, ['200']),
    json('includes of the catalog', { base64, includes: ['catalog'] }, ['400 includes']),
    json('includes as text', { base64, includes: 'taxonomy' }, ['400 includes']),
    json('includes of thousands', { base64, includes: Array.from({ length: 5000 }, () => 'taxonomy') }, [
      '200',
      '400 includes',
    ]),
    json('includes of null', { base64, includes: null }, ['400 includes']),
    json('a url of a megabyte', { url: `http://${'a'.repeat(100_000)}.example/` }, ['400 url']),
    json('a url of escapes', { url: `http://${'%61'.repeat(30_000)}/` }, ['400 url']),
    json('a url of many labels', { url: `http://${'a.'.repeat(30_000)}example/` }, ['400 url']),
    json('a url of letters that fold', { url: `http://${'ß'.repeat(30_000)}.example/` }, ['400 url']),
  ];
}

function wrongJson(base64: string): HostileEntry[] {
  const bad = ['400'];
  return [
    body('nothing', () => '', bad),
    body('white space', () => ' \n', bad),
    body('half an object', () => `{"base64":"${base64}`, bad),
    body('two objects', () => '{}{}', bad),
    body('an array', () => `[{"base64":"${base64}"}]`, bad),
    body('a string', () => `"${base64}"`, bad),
    body('a number', () => '1e999', bad),
    body('null', () => 'null', bad),
    body('NaN', () => '{"base64":NaN}', bad),
    body('single quotes', () => "{'base64':'AAAA'}", bad),
    body('a comment', () => '{/* x */"base64":"AAAA"}', bad),
    body('a trailing comma', () => '{"base64":"AAAA",}', bad),
    body('a byte order mark', () => '\ufeff{"base64":"AAAA"}', ['400', '422 image_format']),
    body('no UTF-8', () => Buffer.from('{"base64":"\xff\xfe"}', 'latin1'), bad),
    body('half a character', () => Buffer.from('{"base64":"\xe2\x82"}', 'latin1'), bad),
    body('a long form of a slash', () => Buffer.from('{"base64":"\xc0\xaf"}', 'latin1'), bad),
    body('UTF-16', () => Buffer.from('{"base64":"AAAA"}', 'utf16le'), bad),
    body('a NUL', () => '{"base64":"AAAA\\u0000"}', ['400 base64']),
    body('half a surrogate pair', () => '{"base64":"AAAA\\ud800"}', ['400 base64']),
    body('the same key twice, the last is wrong', () => `{"base64":"${base64}","base64":5}`, ['400 base64']),
    body('a prototype', () => `{"__proto__":{"base64":"${base64}"}}`, ['400 __proto__']),
    body('a constructor', () => `{"constructor":{"prototype":{"x":1}},"base64":"${base64}"}`, [
      '400 constructor',
    ]),
    body('a value of a hundred levels', () => `{"base64":${'['.repeat(100)}${']'.repeat(100)}}`, [
      '400 base64',
    ]),
    body('a value of fifty thousand levels', () => `{"base64":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, [
      '400',
      '400 base64',
    ]),
    body('an object of fifty thousand levels', () => `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, [
      '400',
      '400 a',
    ]),
    body('a number of a hundred thousand digits', () => `{"base64":${'9'.repeat(100_000)}}`, ['400 base64']),
    body('bytes of a picture', () => Buffer.from(base64, 'base64'), bad),
    body('a form', () => `base64=${encodeURIComponent(base64)}`, bad),
  ];
}

function wrongHttp(base64: string): HostileEntry[] {
  const good = JSON.stringify({ base64 });
  const typed = (name: string, type: string, verdicts: readonly Verdict[]) =>
    body(`declared as ${name}`, () => good, verdicts, { 'content-type': type });
  const coded = (name: string, make: () => Buffer | string, verdicts: readonly Verdict[]) =>
    body(`coded as ${name}`, make, verdicts, { 'content-encoding': name.split(',')[0] ?? '' });
  return [
    typed('text', 'text/plain', ['415']),
    typed('a form', 'multipart/form-data; boundary=x', ['415']),
    typed('a picture', 'image/jpeg', ['415']),
    typed('JSON in UTF-16', 'application/json; charset=utf-16', ['415']),
    typed('JSON in latin1', 'application/json; charset=iso-8859-1', ['415']),
    typed('a kind of JSON', 'application/problem+json', ['200']),
    typed('JSON with a semicolon too many', 'application/json;', ['200', '415']),
    typed('JSON and text', 'application/json, text/plain', ['415']),
    coded('gzip', () => gzipSync(good), ['200']),
    coded('deflate', () => deflateSync(good), ['200']),
    coded('gzip, but is not', () => good, ['400']),
    coded('gzip, but cut off', () => gzipSync(good).subarray(0, -20), ['400']),
    coded('gzip, but a bomb', () => gzipSync(Buffer.alloc(60_000_000)), ['413']),
    coded('gzip, with a bomb of JSON', () => gzipSync(Buffer.alloc(60_000_000, '[')), ['413']),
    coded('gzip, twice', () => gzipSync(gzipSync(good)), ['400']),
    coded('zstd', () => good, ['415']),
    coded('nothing known', () => good, ['415']),
  ];
}

/** Bodies as large as a photo's may be, of everything but a photo. */
function large({ bytesMax }: CorpusLimits): HostileEntry[] {
  const length = Math.floor((bytesMax * 4) / 3);
  const fill = (unit: string) => unit.repeat(Math.floor(length / unit.length));
  const refused = ['400', '400 base64', '400 includes'];
  const entry = (name: string, make: () => string, verdicts: readonly Verdict[] = refused) =>
    body(`as large as it may be: ${name}`, make, verdicts);
  return [
    entry('numbers', () => `{"base64":[${fill('1,')}1]}`),
    entry('empty lists', () => `{"base64":[${fill('[],')}1]}`),
    entry('empty objects', () => `{"base64":[${fill('{},')}1]}`),
    entry('the same key', () => `{${fill('"base64":"AAAA",')}"base64":1}`),
    entry(
      'keys',
      () =>
        `{${Array.from({ length: Math.floor(length / 16) }, (_, key) => `"k${key}":1,`).join('')}"base64":1}`,
      ['400', '400 base64', '400 k0'],
    ),
    entry('levels', () => `{"base64":${fill('[')}`),
    entry('escaped digits', () => `{"base64":"${fill('\\u0041')}"}`, ['422 image_format', '400 base64']),
    entry('escaped NULs', () => `{"base64":"${fill('\\u0000')}"}`),
    entry('white space', () => `{${fill(' ')}}`, ['400 url']),
    entry('one number', () => `{"base64":${fill('9')}}`),
    { ...entry('digits, over the limit', () => `{"base64":"${fill('A')}${'A'.repeat(70_000)}"}`, ['413']) },
  ];
}
