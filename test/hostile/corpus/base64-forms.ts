import {
  ANSWERED,
  base64Body,
  type CorpusLimits,
  type HostileEntry,
  OTHER_FORMAT,
  type Verdict,
} from './entry';
import type { SoundPictures } from './sound-pictures';

const KIND = 'base64 forms';
const NO_BASE64 = ['400 base64'];

const form = (name: string, text: () => string, verdicts: readonly Verdict[]): HostileEntry => ({
  kind: KIND,
  name,
  make: () => Buffer.from(JSON.stringify({ base64: text() })),
  verdicts,
});

/** Every way to write a picture as text, and every way to fail at it. */
export function base64Forms({ jpeg, png, webp }: SoundPictures, limits: CorpusLimits): HostileEntry[] {
  const plain = jpeg.baseline.toString('base64');
  const [first, second] = [plain.slice(0, 400), plain.slice(400)];
  const typed = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
  const lying = [
    'text/html',
    'image/svg+xml',
    'image/heic',
    'application/pdf',
    'image/gif',
    '',
    '*/*',
    'x',
    'image/jpeg;charset=utf-8',
    'image/png;name="a;b"',
  ];
  return [
    ...lying.flatMap((type) => [
      form(`JPEG that says it is "${type}"`, () => typed(type, jpeg.baseline), ANSWERED),
      form(`PNG that says it is "${type}"`, () => typed(type, png.rgb), ANSWERED),
    ]),
    form(
      'GIF that says it is image/jpeg',
      () => typed('image/jpeg', Buffer.from('GIF89a\x01\0\x01\0')),
      OTHER_FORMAT,
    ),
    form(
      'HTML that says it is image/png',
      () => typed('image/png', Buffer.from('<html></html>')),
      OTHER_FORMAT,
    ),
    form('plain', () => plain, ANSWERED),
    form('of another case', () => `DATA:IMAGE/JPEG;BASE64,${plain}`, ANSWERED),
    form('in the URL-safe alphabet', () => png.deep.toString('base64url'), ANSWERED),
    form(
      'in both alphabets at once',
      () => png.deep.toString('base64').replace('+', '-').replace('/', '_'),
      ANSWERED,
    ),
    form('without padding', () => plain.replace(/=+$/, ''), ANSWERED),
    form('with lines of 76', () => plain.replace(/.{76}/g, '$&\r\n'), ANSWERED),
    form('with a space behind every digit', () => [...plain].join(' '), ANSWERED),
    form('with tabs and form feeds', () => `\t\f${first}\v\t${second}\f`, ANSWERED),
    form(
      'with white space within its padding',
      () =>
        `${Buffer.concat([jpeg.baseline, Buffer.alloc(3 - ((jpeg.baseline.length + 2) % 3))])
          .toString('base64')
          .replace(/=/g, ' =\n')}`,
      ANSWERED,
    ),
    form('percent-encoded', () => `data:image/jpeg;base64,${encodeURIComponent(plain)}`, ANSWERED),
    form('percent-encoded as a whole', () => encodeURIComponent(`data:image/jpeg;base64,${plain}`), ANSWERED),
    form(
      'percent-encoded digit by digit',
      () =>
        `data:image/jpeg;base64,${[...plain].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')}`,
      ANSWERED,
    ),
    form('behind white space', () => ` \n data:image/jpeg;base64,${plain}`, ANSWERED),
    form('of WebP', () => typed('image/webp', webp.lossless), ANSWERED),
    form('empty', () => '', NO_BASE64),
    form('of white space', () => ' \r\n\t ', NO_BASE64),
    form('of padding', () => '====', NO_BASE64),
    form('of one digit', () => 'A', NO_BASE64),
    form('of five digits', () => 'AAAAA', NO_BASE64),
    form('of two digits', () => 'AA', OTHER_FORMAT),
    form('with padding within', () => `${first}==${second}`, NO_BASE64),
    form('with three signs of padding', () => 'AAAA===', NO_BASE64),
    form('with padding first', () => `=${plain}`, NO_BASE64),
    form('with an emoji', () => `${first}👜${second}`, NO_BASE64),
    form('with a foreign space', () => `${first}\u3000${second}`, NO_BASE64),
    form('with an invisible space', () => `${first}\u200b${second}`, NO_BASE64),
    form('behind a byte order mark', () => `\ufeff${plain}`, NO_BASE64),
    form('in quotes', () => `"${plain}"`, NO_BASE64),
    form('with signs of another alphabet', () => `${first}.,${second}`, NO_BASE64),
    form('in full-width digits', () => 'ＡＡＡＡ', NO_BASE64),
    form('in hexadecimal', () => `0x${jpeg.baseline.toString('hex')}`, [...NO_BASE64, ...OTHER_FORMAT]),
    form('in base32', () => 'MZXW6YTBOI======', NO_BASE64),
    form('twice', () => Buffer.from(plain).toString('base64'), OTHER_FORMAT),
    form(
      'of a data URI',
      () => Buffer.from(`data:image/jpeg;base64,${plain}`).toString('base64'),
      OTHER_FORMAT,
    ),
    form(
      'data URI within a data URI',
      () => `data:image/jpeg;base64,data:image/jpeg;base64,${plain}`,
      NO_BASE64,
    ),
    form('data URI without a comma', () => `data:image/jpeg;base64${plain}`, NO_BASE64),
    form('data URI without data', () => 'data:image/jpeg;base64,', NO_BASE64),
    form('data URI without base64', () => `data:image/jpeg,${plain}`, NO_BASE64),
    form('data URI of text', () => 'data:,hello', NO_BASE64),
    form('data URI of nothing', () => 'data:', NO_BASE64),
    form('data URI of two commas', () => `data:image/jpeg;base64,,${plain}`, NO_BASE64),
    form('data URI with a broken escape', () => 'data:image/jpeg;base64,%', NO_BASE64),
    form('data URI with half an escape', () => `data:image/jpeg;base64,${first}%4`, NO_BASE64),
    form('data URI with an escape of no digits', () => `data:image/jpeg;base64,${first}%zz`, NO_BASE64),
    form('data URI with an escape that is no UTF-8', () => `data:image/jpeg;base64,${first}%ff`, NO_BASE64),
    form('data URI with an escaped NUL', () => `data:image/jpeg;base64,${first}%00`, NO_BASE64),
    form(
      'data URI encoded twice',
      () => encodeURIComponent(encodeURIComponent(`data:image/jpeg;base64,${plain}`)),
      NO_BASE64,
    ),
    form('escape without a data URI', () => '%41%41%41%41', NO_BASE64),
    form('address', () => 'https://pictures.example/a.jpg', NO_BASE64),
    form('blob address', () => 'blob:https://pictures.example/0', NO_BASE64),
    form('path', () => '../../../../etc/passwd', NO_BASE64),
    ...largeForms(limits),
  ];
}

/** Texts as long as a body may be, which must not take longer to refuse than a photo of that size takes to read. */
function largeForms({ bytesMax }: CorpusLimits): HostileEntry[] {
  const length = Math.floor((bytesMax * 4) / 3);
  const fill = (unit: string) => unit.repeat(Math.floor(length / unit.length));
  const large = (name: string, text: () => string, verdicts: readonly Verdict[]) =>
    form(`as large as a body may be: ${name}`, text, verdicts);
  return [
    { ...large('digits', () => '', OTHER_FORMAT), make: () => base64Body(fill('AAAA')) },
    large('a space behind every digit', () => fill('A A A A '), OTHER_FORMAT),
    large('white space', () => fill(' '), NO_BASE64),
    large('padding', () => fill('='), NO_BASE64),
    large('white space within padding', () => `AA=${fill(' ')}A`, NO_BASE64),
    large('white space before a data URI', () => `${fill(' ')}data:,`, NO_BASE64),
    large('a type', () => `data:image/${fill('j')};base64,AAAA`, NO_BASE64),
    large('parameters', () => `data:${fill(';')}base64,AAAA`, NO_BASE64),
    large('commas', () => `data:${fill(',')}`, ['400', ...NO_BASE64]),
    large('escapes', () => `data:;base64,${fill('%41')}`, OTHER_FORMAT),
    large('escapes, the last broken', () => `data:;base64,${fill('%41')}%`, NO_BASE64),
    large('data URIs', () => fill('data:;base64,'), ['400', ...NO_BASE64]),
    large('one wrong sign at the end', () => `${fill('A')}!`, NO_BASE64),
  ];
}
