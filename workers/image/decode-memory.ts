/** What the header of a picture says of the work ahead; all of it may be a lie. */
export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly format: string;
  /** `uchar`, `ushort`, … */
  readonly depth: string;
  readonly isProgressive: boolean;
  /** Of WebP alone. */
  readonly isLossless: boolean;
  /** Of WebP alone: its frame is put on a canvas. */
  readonly isAnimated: boolean;
  /** `4:2:0`, `4:4:4`, …; of JPEG alone. */
  readonly chromaSubsampling?: string | undefined;
}

/** Headers, metadata, rows on their way, the small picture that comes out. */
const BASE_BYTES = 16_000_000;

/** Coefficients are kept as 16-bit numbers. */
const COEFFICIENT_BYTES = 2;

/** WebP keeps lossless pixels as ARGB; of lossy ones only the transparency. */
const LOSSLESS_PIXEL_BYTES = 4;
const LOSSY_PIXEL_BYTES = 1.5;
/** The canvas of an animation as RGBA, and what is copied of it on the way. */
const CANVAS_PIXEL_BYTES = 6;

/** Values of one pixel by how much of the colour is left out. */
const SAMPLES: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:1:1': 1.5, '4:2:2': 2, '4:4:0': 2 };

/**
 * Memory in bytes that decoding takes at its peak, from above. Most pictures pass through in rows; progressive JPEG,
 * interlaced PNG and lossless WebP have to be kept whole.
 */
export function decodeMemoryBytes(header: PictureHeader): number {
  const pixels = header.width * header.height;
  const pixelBytes = header.channels * (header.depth === 'ushort' ? 2 : 1);
  return BASE_BYTES + pixels * wholePixelBytes(header, pixelBytes);
}

function wholePixelBytes(header: PictureHeader, pixelBytes: number): number {
  const { format, isProgressive, chromaSubsampling } = header;
  if (format === 'webp') {
    const frameBytes = header.isLossless ? LOSSLESS_PIXEL_BYTES : LOSSY_PIXEL_BYTES;
    return header.isAnimated ? CANVAS_PIXEL_BYTES + frameBytes : frameBytes;
  }
  if (!isProgressive) return pixelBytes / 3;
  if (format === 'png') return pixelBytes;
  return (SAMPLES[chromaSubsampling ?? ''] ?? header.channels) * COEFFICIENT_BYTES;
}
