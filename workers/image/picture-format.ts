/** Formats that are decoded; everything else is refused by name (contract 7.3). */
export const ACCEPTED_FORMATS = ['JPEG', 'PNG', 'WebP'] as const;

export type AcceptedFormat = (typeof ACCEPTED_FORMATS)[number];

/** ISO base media brands and the format a person would call them. */
const BRANDS: Readonly<Record<string, string>> = {
  avif: 'AVIF',
  avis: 'AVIF',
  heic: 'HEIC',
  heix: 'HEIC',
  hevc: 'HEIC',
  hevx: 'HEIC',
  heim: 'HEIC',
  heis: 'HEIC',
  mif1: 'HEIF',
  msf1: 'HEIF',
  'crx ': 'CR3',
  'jxl ': 'JPEG XL',
  'jp2 ': 'JPEG 2000',
  'qt  ': 'QuickTime video',
  isom: 'MP4 video',
  iso2: 'MP4 video',
  iso4: 'MP4 video',
  iso5: 'MP4 video',
  iso6: 'MP4 video',
  avc1: 'MP4 video',
  mp41: 'MP4 video',
  mp42: 'MP4 video',
  'M4V ': 'MP4 video',
  '3gp4': '3GP video',
  '3gp5': '3GP video',
};

/** Formats known by their first bytes, as Latin-1 text. */
const SIGNATURES: readonly (readonly [prefix: string, format: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'PNG'],
  ['GIF87a', 'GIF'],
  ['GIF89a', 'GIF'],
  ['%PDF-', 'PDF'],
  ['BM', 'BMP'],
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['II+\0', 'TIFF'],
  ['MM\0+', 'TIFF'],
  ['\0\0\x01\0', 'ICO'],
  ['\0\0\x02\0', 'CUR'],
  ['8BPS', 'PSD'],
  ['\xff\x0a', 'JPEG XL'],
  ['\0\0\0\x0cJXL ', 'JPEG XL'],
  ['\0\0\0\x0cjP  ', 'JPEG 2000'],
  ['\xff\x4f\xff\x51', 'JPEG 2000'],
  ['II\xbc', 'JPEG XR'],
  ['\x8aMNG', 'MNG'],
  ['\x8bJNG', 'JNG'],
  ['v/1\x01', 'OpenEXR'],
  ['#?RADIANCE', 'Radiance HDR'],
  ['DDS ', 'DDS'],
  ['qoif', 'QOI'],
  ['FUJIFILM', 'RAF'],
  ['%!PS', 'PostScript'],
  ['\x1aE\xdf\xa3', 'Matroska or WebM video'],
  ['\0\0\x01\xba', 'MPEG video'],
  ['\0\0\x01\xb3', 'MPEG video'],
  ['OggS', 'Ogg'],
  ['FLV\x01', 'Flash video'],
  ['0&\xb2u\x8ef\xcf\x11', 'Windows Media'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'a gzip file'],
];

const RIFF_FORMATS: Readonly<Record<string, string>> = {
  WEBP: 'WebP',
  'AVI ': 'AVI video',
  WAVE: 'WAVE audio',
};

/**
 * What a file is by its bytes, whatever it is called: one of `ACCEPTED_FORMATS`, another format's name, or null.
 * Only the first kilobyte is looked at.
 */
export function sniffPictureFormat(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 1024).toString('latin1');
  // A marker must follow, and need not be the next byte.
  if (head.startsWith('\xff\xd8') && head.includes('\xff', 2)) return 'JPEG';
  if (head.startsWith('RIFF')) return RIFF_FORMATS[head.slice(8, 12)] ?? null;
  if (head.slice(4, 8) === 'ftyp') return BRANDS[head.slice(8, 12)] ?? 'ISO media';
  const signature = SIGNATURES.find(([prefix]) => head.startsWith(prefix));
  if (signature) return signature[1];
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
