import { badRequest } from '../../models/errors';
import type { Region } from '../../models/vision/image-input';

/** How a region is cut out: the size that the whole picture is shrunk to, and the part of that, in pixels. */
export interface Cut {
  readonly whole: { readonly width: number; readonly height: number };
  readonly part: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
}

/** Pixels that a region must have on each side. */
const SIDE_MIN = 16;

/** Orientations of EXIF from here on lay a picture on its side. */
const LYING = 5;

/**
 * How to cut a region out of a picture so that its longer side has `side` pixels at most.
 *
 * @param header size as stored, and EXIF orientation; the region is of the upright picture
 * @throws AppError 400 for a region of fewer than 16 pixels on a side
 */
export function cutOfRegion(
  region: Region,
  header: { readonly width: number; readonly height: number; readonly orientation?: number | undefined },
  side: number,
): Cut {
  const lies = (header.orientation ?? 1) >= LYING;
  const [width, height] = lies ? [header.height, header.width] : [header.width, header.height];
  const pixels = { width: Math.round(region.width * width), height: Math.round(region.height * height) };
  if (Math.min(pixels.width, pixels.height) < SIDE_MIN) {
    throw badRequest(
      `region: has ${pixels.width} x ${pixels.height} pixels of this photo; ${SIDE_MIN} are needed on each side.`,
      { field: 'region' },
    );
  }
  const scale = Math.min(1, side / Math.max(pixels.width, pixels.height));
  const whole = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const [left, right] = within(region.x, region.width, whole.width);
  const [top, bottom] = within(region.y, region.height, whole.height);
  return { whole, part: { left, top, width: right - left, height: bottom - top } };
}

/** The pixels from and up to which a part of a side reaches; at least one. */
function within(from: number, share: number, pixels: number): [from: number, to: number] {
  const first = Math.min(pixels - 1, Math.round(from * pixels));
  return [first, Math.min(pixels, Math.max(first + 1, Math.round((from + share) * pixels)))];
}
