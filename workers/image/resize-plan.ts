import { badRequest } from '../../models/errors';
import type { Region } from '../../models/vision/image-input';
import type { Size } from '../../models/vision/neighbours';

/** How a picture is made small: the size that all of it is shrunk to, and the part that is cut out of that, in pixels. */
export interface ResizePlan {
  readonly whole: Size;
  /** All of it when left out. */
  readonly part?: Size & { readonly left: number; readonly top: number };
}

/** Pixels that a region must have on each side. */
const SIDE_MIN = 16;

/** Orientations of EXIF from 5 on lay a picture on its side. */
export const uprightSize = ({ width, height, orientation = 1 }: StoredSize) =>
  orientation >= 5 ? { width: height, height: width } : { width, height };

/** The size of a picture as it is stored, and its EXIF orientation. */
interface StoredSize extends Size {
  readonly orientation?: number | undefined;
}

/**
 * How to shrink an upright picture, or a region, so that its longer side is at most `side`; the whole picture is shrunk first, as
 * decoders are faster at a fraction of the size. @throws AppError 400 for a region of fewer than 16 pixels on a side
 */
export function resizePlanOf(stored: StoredSize, side: number, region?: Region): ResizePlan {
  const { width, height } = uprightSize(stored);
  const { x, y, ...share } = region ?? { x: 0, y: 0, width: 1, height: 1 };
  const pixels = { width: Math.round(share.width * width), height: Math.round(share.height * height) };
  if (region && Math.min(pixels.width, pixels.height) < SIDE_MIN) {
    throw badRequest(
      `region: has ${pixels.width} x ${pixels.height} pixels of this photo; ${SIDE_MIN} are needed on each side.`,
      { field: 'region' },
    );
  }
  const scale = Math.min(1, side / Math.max(pixels.width, pixels.height));
  const whole = { width: atLeastOne(width * scale), height: atLeastOne(height * scale) };
  if (!region) return { whole };
  const [left, right] = within(x, share.width, whole.width);
  const [top, bottom] = within(y, share.height, whole.height);
  return { whole, part: { left, top, width: right - left, height: bottom - top } };
}

const atLeastOne = (pixels: number): number => Math.max(1, Math.round(pixels));

/** The pixels from and up to which a part of a side reaches; at least one. */
function within(from: number, share: number, pixels: number): [from: number, to: number] {
  const first = Math.min(pixels - 1, Math.round(from * pixels));
  return [first, Math.min(pixels, Math.max(first + 1, Math.round((from + share) * pixels)))];
}
