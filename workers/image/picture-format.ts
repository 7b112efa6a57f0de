/** Formats that are decoded; everything else is refused by name (contract 7.3). */
export const ACCEPTED_FORMATS = ['JPEG', 'PNG', 'WebP'] as const;

/** ISO base media brands of still pictures and the format a person would call them. */
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
};

/** Formats known by their first bytes, as Latin-1 text. */
const SIGNATURES: readonly (readonly [prefix: string, format: string])[] = [
  ['\xff\xd8\xff', 'JPEG'],
  ['\x89PNG\r\n\x1a\n', 'PNG'],
  ['GIF87a', 'GIF'],
  ['GIF89a', 'GIF'],
  ['%PDF-', 'PDF'],
  ['BM', 'BMP'],
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['\0\0\x01\0', 'ICO'],
  ['8BPS', 'PSD'],
  ['\xff\x0a', 'JPEG XL'],
  ['\0\0\0\x0cJXL ', 'JPEG XL'],
  ['\0\0\0\x0cjP  ', 'JPEG 2000'],
];

/**
 * What a file is by its bytes, whatever it is called: one of `ACCEPTED_FORMATS`, another format's name, or null.
 * Only the first kilobyte is looked at.
 */
export function sniffPictureFormat(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 1024).toString('latin1');
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'WebP';
  if (head.slice(4, 8) === 'ftyp') return BRANDS[head.slice(8, 12)] ?? 'ISO media';
  const signature = SIGNATURES.find(([prefix]) => head.startsWith(prefix));
  if (signature) return signature[1];
  if (/^\s*(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype svg|!--|svg)/i.test(head) && /<svg[\s>]/i.test(head))
    return 'SVG';
  return null;
}
