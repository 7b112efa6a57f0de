import { deflateRawSync, gzipSync } from 'node:zlib';
import { ANSWERED, type HostileEntry, OTHER_FORMAT, picture } from './entry';
import { jpegWith, MARKER, segment } from './jpeg';
import type { SoundPictures } from './sound-pictures';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const media = (brand: string): Buffer => latin(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}\0\0\0\x08mdat`);
const svg = (inside: string, before = ''): string =>
  `${before}<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}</svg>`;

const ENTITY = '<!DOCTYPE svg [<!ENTITY e SYSTEM "file:///etc/passwd">]>';
const REMOTE = '<image href="http://169.254.169.254/latest/meta-data/" width="9" height="9"/>';

/** Files by their first bytes, with the name that the refusal must say where the pages ask for it. */
const OTHER_FORMATS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['GIF87a', latin('GIF87a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;')],
  ['GIF89a', latin('GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;')],
  ['GIF of 65535 x 65535', latin('GIF89a\xff\xff\xff\xff\xf7\0\0')],
  ['TIFF, little-endian', latin('II*\0\x08\0\0\0\0\0\0\0\0\0')],
  ['TIFF, big-endian', latin('MM\0*\0\0\0\x08\0\0\0\0\0\0')],
  ['BigTIFF', latin('II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0')],
  ['BMP', latin('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0')],
  ['ICO', latin('\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x68\x04\0\0\x16\0\0\0')],
  ['CUR', latin('\0\0\x02\0\x01\0\x10\x10\0\0\x01\0\x20\0\x68\x04\0\0\x16\0\0\0')],
  ['PSD', latin('8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x08\0\x03')],
  ['JPEG XL, bare', latin('\xff\x0a\xfa\x7f\x01\x90\x08\x06\x01')],
  ['JPEG XL, boxed', latin('\0\0\0\x0cJXL \x0d\x0a\x87\x0a\0\0\0\x14ftypjxl ')],
  ['JPEG 2000, boxed', latin('\0\0\0\x0cjP  \x0d\x0a\x87\x0a')],
  ['JPEG 2000, bare', latin('\xff\x4f\xff\x51\0\x2f\0\0')],
  ['JPEG-LS', latin('\xff\x4f\xff\xf7\0\x0b\x08')],
  ['JPEG XR', latin('II\xbc\x01\x20\0\0\0')],
  ...['heic', 'heix', 'hevc', 'hevx', 'mif1', 'msf1'].map(
    (brand) => [`HEIF of brand ${brand}`, media(brand)] as const,
  ),
  ...['avif', 'avis'].map((brand) => [`AVIF of brand ${brand}`, media(brand)] as const),
  ...['isom', 'mp42', 'qt  ', 'M4V ', '3gp5', 'crx '].map(
    (brand) => [`media of brand ${brand}`, media(brand)] as const,
  ),
  ['WebM', latin('\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01')],
  ['PDF', latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</JS (app.alert(1))>>\nendobj')],
  ['PostScript', latin('%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) (r) file')],
  ['SVG', latin(svg('<rect width="9" height="9"/>'))],
  ['SVG with a script', latin(svg('<script>alert(1)</script>'))],
  ['SVG with an external entity', latin(svg('<text>&e;</text>', `<?xml version="1.0"?>${ENTITY}`))],
  ['SVG with a picture from inside', latin(svg(REMOTE))],
  ['SVG behind a comment and white space', latin(svg('', ' \n<!-- a picture -->\n'))],
  [
    'SVG behind a byte order mark',
    Buffer.concat([latin('\xef\xbb\xbf'), latin(svg('', '<?xml version="1.0"?>'))]),
  ],
  ['SVG in UTF-16', Buffer.from(`\ufeff${svg('')}`, 'utf16le')],
  ['SVG, gzipped', gzipSync(svg(''))],
  ['HTML', latin('<!DOCTYPE html><html><body><img src=x onerror=alert(1)></body></html>')],
  [
    'XML with a billion laughs',
    latin('<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>'),
  ],
  ['OpenEXR', latin('v/1\x01\x02\0\0\0')],
  ['Radiance', latin('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n')],
  ['PPM', latin('P6\n1 1\n255\nabc')],
  ['PBM of 10^9 x 10^9', latin('P4\n1000000000 1000000000\n')],
  ['TGA', latin('\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x18\0abc')],
  ['DDS', latin('DDS |\0\0\0')],
  ['FITS', latin('SIMPLE  =                    T')],
  ['DICOM', Buffer.concat([Buffer.alloc(128), latin('DICM')])],
  ['QOI', latin('qoif\0\0\0\x01\0\0\0\x01\x03\0')],
  ['FLIF', latin('FLIF31\0\0')],
  ['WMF', latin('\xd7\xcd\xc6\x9a\0\0')],
  ['EMF', latin('\x01\0\0\0\x6c\0\0\0')],
  ['VIPS', latin('\xb6\xa6\xf2\x08\0\0\0\x01')],
  ['MATLAB', latin('MATLAB 5.0 MAT-file')],
  ['MVG', latin('push graphic-context\nimage over 0,0 0,0 "https://169.254.169.254/"\n')],
  ['WAVE', latin('RIFF\x24\0\0\0WAVEfmt ')],
  ['AVI', latin('RIFF\x24\0\0\0AVI LIST')],
  ['RIFF of nothing', latin('RIFF\0\0\0\0')],
  ['ZIP', latin('PK\x03\x04\x14\0\0\0\x08\0')],
  ['gzip', gzipSync('x')],
  ['raw deflate', deflateRawSync(Buffer.alloc(1000))],
  ['ELF', latin('\x7fELF\x02\x01\x01\0')],
  ['Windows program', latin('MZ\x90\0\x03\0\0\0')],
  ['WebAssembly', latin('\0asm\x01\0\0\0')],
  ['Java class', latin('\xca\xfe\xba\xbe\0\0\0\x34')],
  ['shell script', latin('#!/bin/sh\nreboot\n')],
  ['JSON', latin('{"base64":"/9j/"}')],
  ['plain text', latin('hello, this is no picture at all')],
  ['one byte', latin('\xff')],
  ['two bytes of JPEG', latin('\xff\xd8')],
  ['zeros', Buffer.alloc(1000)],
  ['ones', Buffer.alloc(1000, 0xff)],
  ['PNG after a text transfer', latin('\x89PNG\n\x1a\n\0\0\0\x0dIHDR')],
  ['PNG of another case', latin('\x89png\r\n\x1a\n\0\0\0\x0dIHDR')],
  ['MNG', latin('\x8aMNG\r\n\x1a\n\0\0\0\x1cMHDR')],
  ['JNG', latin('\x8bJNG\r\n\x1a\n\0\0\0\x10JHDR')],
];

/** What is no JPEG, PNG or WebP by its bytes. */
export const otherFormats = (): HostileEntry[] =>
  OTHER_FORMATS.map(([name, bytes]) => picture('other formats', name, () => bytes, OTHER_FORMAT));

/** Files that are two things at once: what their first bytes say decides, and the rest is never looked at. */
export function polyglots({ jpeg, png, webp }: SoundPictures): HostileEntry[] {
  const page = latin('<html><script>alert(1)</script></html>');
  const archive = latin('PK\x03\x04\x14\0\0\0\0\0\0\0\0\0PK\x05\x06\0\0\0\0\x01\0\x01\0');
  const behind = (name: string, first: Buffer, then: Buffer) =>
    picture('polyglots', name, () => Buffer.concat([first, then]), ANSWERED);
  const before = (name: string, first: Buffer, then: Buffer) =>
    picture('polyglots', name, () => Buffer.concat([first, then]), OTHER_FORMAT);
  return [
    behind('JPEG and ZIP', jpeg.baseline, archive),
    behind('JPEG and HTML', jpeg.baseline, page),
    behind('JPEG and another JPEG', jpeg.baseline, jpeg.progressive),
    behind('PNG and HTML', png.rgb, page),
    behind('PNG and ZIP', png.rgb, archive),
    behind('PNG and another PNG', png.rgb, png.deep),
    behind('WebP and ZIP', webp.lossy, archive),
    behind('WebP and HTML', webp.lossless, page),
    picture(
      'polyglots',
      'JPEG and PDF within a comment',
      () => jpegWith(jpeg.baseline, segment(MARKER.com, latin('%PDF-1.7\n1 0 obj'))),
      ANSWERED,
    ),
    picture(
      'polyglots',
      'JPEG and JavaScript within a comment',
      () => jpegWith(jpeg.baseline, segment(MARKER.com, latin('*/=alert(1);/*'))),
      ANSWERED,
    ),
    before('HTML and PNG', page, png.rgb),
    before('ZIP and JPEG', archive, jpeg.baseline),
    before('PDF and JPEG', latin('%PDF-1.7\n'), jpeg.baseline),
    before('GIF and JavaScript', latin('GIF89a=1;'), latin('alert(1)//')),
    before('GIF and PNG', latin('GIF89a\x01\0\x01\0\0\0\0'), png.rgb),
    before('BMP and JavaScript', latin('BM=1;alert(1)//'), jpeg.baseline),
    before('program and WebP', latin('MZ\x90\0'), webp.lossy),
    before('SVG and PNG', latin('<svg xmlns="http://www.w3.org/2000/svg"/>'), png.rgb),
    before('white space and JPEG', latin(' \r\n'), jpeg.baseline),
    before('MP4 and JPEG', media('isom'), jpeg.baseline),
    before('ICO around PNG', latin('\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\xff\0\0\0\x16\0\0\0'), png.rgb),
  ];
}
