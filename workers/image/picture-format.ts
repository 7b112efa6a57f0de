/** Formats that are decoded; everything else is refused by name (contract 7.3). */
export const ACCEPTED_FORMATS = ['JPEG', 'PNG', 'WebP'] as const;

/** Brands of ISO base media, by the format that a person would call them. */
const BRANDS: Readonly<Record<string, readonly string[]>> = {
  AVIF: ['avif', 'avis'],
  HEIC: ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'],
  HEIF: ['mif1', 'msf1'],
  CR3: ['crx '],
  'JPEG XL': ['jxl '],
  'JPEG 2000': ['jp2 '],
  'QuickTime video': ['qt  '],
  'MP4 video': ['isom', 'iso2', 'iso4', 'iso5', 'iso6', 'avc1', 'mp41', 'mp42', 'M4V '],
  '3GP video': ['3gp4', '3gp5'],
};

/** As Latin-1 text. */
const SIGNATURES: Readonly<Record<string, readonly string[]>> = {
  PNG: ['\x89PNG\r\n\x1a\n'],
  GIF: ['GIF87a', 'GIF89a'],
  PDF: ['%PDF-'],
  BMP: ['BM'],
  TIFF: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
  ICO: ['\0\0\x01\0'],
  CUR: ['\0\0\x02\0'],
  PSD: ['8BPS'],
  'JPEG XL': ['\xff\x0a', '\0\0\0\x0cJXL '],
  'JPEG 2000': ['\0\0\0\x0cjP  ', '\xff\x4f\xff\x51'],
  'JPEG XR': ['II\xbc'],
  MNG: ['\x8aMNG'],
  JNG: ['\x8bJNG'],
  OpenEXR: ['v/1\x01'],
  'Radiance HDR': ['#?RADIANCE'],
  DDS: ['DDS '],
  QOI: ['qoif'],
  RAF: ['FUJIFILM'],
  PostScript: ['%!PS'],
  'Matroska or WebM video': ['\x1aE\xdf\xa3'],
  'MPEG video': ['\0\0\x01\xba', '\0\0\x01\xb3'],
  Ogg: ['OggS'],
  'Flash video': ['FLV\x01'],
  'Windows Media': ['0&\xb2u\x8ef\xcf\x11'],
  'a ZIP archive': ['PK\x03\x04'],
  'a gzip file': ['\x1f\x8b'],
};

const formatOf = (text: string, table: typeof SIGNATURES): string | undefined =>
  Object.keys(table).find((format) => table[format]?.some((start) => text.startsWith(start)));

const RIFF_FORMATS: Readonly<Record<string, string>> = {
  WEBP: 'WebP',
  'AVI ': 'AVI video',
  WAVE: 'WAVE audio',
};

/** By the first kilobyte: one of `ACCEPTED_FORMATS`, another format's name, or null. */
export function sniffPictureFormat(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 1024).toString('latin1');
  // A marker must follow, but need not be the next byte.
  if (head.startsWith('\xff\xd8') && head.includes('\xff', 2)) return 'JPEG';
  if (head.startsWith('RIFF')) return RIFF_FORMATS[head.slice(8, 12)] ?? null;
  if (head.slice(4, 8) === 'ftyp') return formatOf(head.slice(8), BRANDS) ?? 'ISO media';
  const known = formatOf(head, SIGNATURES);
  if (known !== undefined) return known;
  if (/^\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype svg|!--|svg)/i.test(head) && /<svg[\s>]/i.test(head))
    return 'SVG';
  return /^\s*<(?:!doctype html|html|head|body)[\s>]/i.test(head) ? 'an HTML page' : null;
}

const JPEG_LS = 'JPEG-LS';

/** Kinds of JPEG that the decoder takes in some forms or in none, by the marker of their frame. */
const UNUSUAL_FRAMES: readonly (readonly [kind: string, markers: readonly number[]])[] = [
  ['a lossless JPEG', [0xc3, 0xcb]],
  ['a hierarchical JPEG', [0xc5, 0xc6, 0xc7, 0xcd, 0xce, 0xcf, 0xde]],
  [JPEG_LS, [0xf7]],
];
/** Sequential and progressive frames, Huffman and arithmetic, which the decoder takes with samples of the usual depth. */
const USUAL_FRAMES = [0xc0, 0xc1, 0xc2, 0xc9, 0xca];
const USUAL_BITS = 8;
const BITS_MAX = 16;

/** What kind of JPEG a file is, by its frame; null for the usual kinds, what is no JPEG, and where no frame is found. */
export function unusualJpeg(bytes: Buffer): string | null {
  if (sniffPictureFormat(bytes) !== 'JPEG') return null;
  for (let at = 2; at + 5 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    const unusual = UNUSUAL_FRAMES.find(([, markers]) => markers.includes(marker))?.[0] ?? null;
    if (USUAL_FRAMES.includes(marker) || unusual !== null) {
      const bits = bytes.readUInt8(at + 4);
      const isDeep = bits > USUAL_BITS && bits <= BITS_MAX && unusual !== JPEG_LS;
      return isDeep ? `a JPEG of ${bits} bits a channel` : unusual;
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
