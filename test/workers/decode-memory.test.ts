import { decodeMemoryBytes, type PictureHeader } from '../../workers/image/decode-budget';

/** What was measured at 49 megapixels (docs/hostile-input.md), in MB beside the process itself. */
const SIDE = 7000;
const header = (form: Partial<PictureHeader>): PictureHeader => ({
  width: SIDE,
  height: SIDE,
  channels: 3,
  depth: 'uchar',
  format: 'jpeg',
  isProgressive: false,
  isLossless: false,
  isAnimated: false,
  ...form,
});

test.each<[string, number, Partial<PictureHeader>]>([
  ['JPEG', 13, { chromaSubsampling: '4:2:0' }],
  ['progressive JPEG, 4:2:0', 150, { isProgressive: true, chromaSubsampling: '4:2:0' }],
  ['progressive JPEG, 4:4:4', 290, { isProgressive: true, chromaSubsampling: '4:4:4' }],
  ['PNG', 47, { format: 'png' }],
  ['PNG of 16 bits with alpha', 93, { format: 'png', depth: 'ushort', channels: 4 }],
  ['interlaced PNG', 178, { format: 'png', isProgressive: true }],
  [
    'interlaced PNG of 16 bits with alpha',
    438,
    { format: 'png', isProgressive: true, depth: 'ushort', channels: 4 },
  ],
  ['WebP', 9, { format: 'webp' }],
  ['WebP with alpha', 56, { format: 'webp', channels: 4 }],
  ['lossless WebP', 188, { format: 'webp', isLossless: true }],
  ['lossy animation of a small frame', 265, { format: 'webp', isAnimated: true }],
])('%s is taken for about as much memory as it was seen to take: %d MB', (_form, measuredMb, form) => {
  const estimatedMb = decodeMemoryBytes(header(form)) / 1_000_000;
  expect(estimatedMb).toBeGreaterThan(measuredMb * 0.9);
  expect(estimatedMb).toBeLessThan(measuredMb * 1.2 + 90);
});
