import { type Canvas, createCanvas } from '@napi-rs/canvas';

/** A picture as bytes, four to a pixel (red, green, blue, opacity), by rows. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** A projective map of the plane: nine numbers by rows. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

/** Where four corners of a square (0,0)-(side,side), clockwise from the upper left, go. */
export type Corners = readonly [Corner, Corner, Corner, Corner];
export type Corner = readonly [number, number];

/** The projective map that takes four places back to the corners of a square of the given side. */
export function backToSquare(corners: Corners, side: number): Homography {
  return inverse(fromSquare(corners, side));
}

/** The map from a square to any four corners (Heckbert 1989). */
function fromSquare([a, b, c, d]: Corners, side: number): Homography {
  const dx1 = b[0] - c[0];
  const dx2 = d[0] - c[0];
  const dx3 = a[0] - b[0] + c[0] - d[0];
  const dy1 = b[1] - c[1];
  const dy2 = d[1] - c[1];
  const dy3 = a[1] - b[1] + c[1] - d[1];
  const denominator = dx1 * dy2 - dx2 * dy1;
  const g = (dx3 * dy2 - dx2 * dy3) / denominator;
  const h = (dx1 * dy3 - dx3 * dy1) / denominator;
  return [
    (b[0] - a[0] + g * b[0]) / side,
    (d[0] - a[0] + h * d[0]) / side,
    a[0],
    (b[1] - a[1] + g * b[1]) / side,
    (d[1] - a[1] + h * d[1]) / side,
    a[1],
    g / side,
    h / side,
    1,
  ];
}

function inverse([a, b, c, d, e, f, g, h, i]: Homography): Homography {
  return [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
}

/**
 * A picture seen through a projective map, by bilinear sampling of premultiplied colour; outside of the source it is
 * transparent. `back` takes a pixel of the result to its place in the source.
 */
export function warped(source: Pixels, back: Homography, width: number, height: number): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  const from = source.data;
  const [a, b, c, d, e, f, g, h, i] = back;
  // A canvas's picture answers these through the native side: once is enough.
  const lastColumn = source.width - 1;
  const lastRow = source.height - 1;
  const stride = source.width * 4;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 4) {
      const w = 1 / (g * x + h * y + i);
      const sx = (a * x + b * y + c) * w;
      const sy = (d * x + e * y + f) * w;
      if (sx < 0 || sy < 0 || sx >= lastColumn || sy >= lastRow) continue;
      const column = sx | 0;
      const row = sy | 0;
      const right = sx - column;
      const down = sy - row;
      const at = row * stride + column * 4;
      const o1 = (from[at + 3] ?? 0) * (1 - right) * (1 - down);
      const o2 = (from[at + 7] ?? 0) * right * (1 - down);
      const o3 = (from[at + stride + 3] ?? 0) * (1 - right) * down;
      const o4 = (from[at + stride + 7] ?? 0) * right * down;
      const opacity = o1 + o2 + o3 + o4;
      if (opacity < 1) continue;
      for (let channel = 0; channel < 3; channel++) {
        const p = at + channel;
        const sum =
          (from[p] ?? 0) * o1 +
          (from[p + 4] ?? 0) * o2 +
          (from[p + stride] ?? 0) * o3 +
          (from[p + stride + 4] ?? 0) * o4;
        data[to + channel] = sum / opacity;
      }
      data[to + 3] = opacity;
    }
  }
  return { width, height, data };
}

/** A canvas that holds the picture. */
export function canvasOf({ width, height, data }: Pixels): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  image.data.set(data);
  context.putImageData(image, 0, 0);
  return canvas;
}
