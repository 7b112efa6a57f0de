import { Random } from '../../../../models/random';
import type { Pixels } from './pixels';

/** What a camera and its light do to a picture. */
export interface Development {
  /** Light against none = 1. */
  readonly exposure: number;
  readonly contrast: number;
  /** Above 0 warmer, below 0 colder. */
  readonly warmth: number;
  /** Above 0 greener, below 0 more magenta. */
  readonly tint: number;
  readonly saturation: number;
  /** Deviation of the sensor's noise, in steps of 255. */
  readonly noise: number;
  /** How much darker the corners are. */
  readonly vignette: number;
}

/** Changes a picture in place as a camera would. */
export function develop({ width, height, data }: Pixels, settings: Development, random: Random): void {
  const { exposure, contrast, warmth, tint, saturation, vignette } = settings;
  const curves = [1 + warmth, 1 + tint, 1 - warmth].map((gain) => curve(exposure * gain, contrast));
  const [red = EMPTY, green = EMPTY, blue = EMPTY] = curves;
  const grain = settings.noise === 0 ? EMPTY : grainTable();
  const { noise } = settings;
  const start = random.integer(0, 60000);
  for (let y = 0, at = 0; y < height; y++) {
    const fromMiddle = (y / height - 0.5) ** 2;
    for (let x = 0; x < width; x++, at += 4) {
      const r = red[data[at] ?? 0] ?? 0;
      const g = green[data[at + 1] ?? 0] ?? 0;
      const b = blue[data[at + 2] ?? 0] ?? 0;
      const grey = 0.299 * r + 0.587 * g + 0.114 * b;
      const shade = 1 - vignette * (fromMiddle + (x / width - 0.5) ** 2) * 2;
      const speck = noise * (grain[(start + Math.imul(at, 40503) + (at >> 9)) & 65535] ?? 0);
      data[at] = (grey + (r - grey) * saturation) * shade + speck;
      data[at + 1] = (grey + (g - grey) * saturation) * shade + speck;
      data[at + 2] =
        (grey + (b - grey) * saturation) * shade + noise * (grain[(start + at * 3) & 65535] ?? 0);
    }
  }
}

const EMPTY = new Float32Array(256);

function curve(gain: number, contrast: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, value) => (value * gain - 128) * contrast + 128);
}

let grainDrawn: Float32Array | undefined;

/** A sensor's noise of deviation 1, drawn once; each picture starts somewhere else in it. */
function grainTable(): Float32Array {
  if (grainDrawn === undefined) {
    const random = new Random('grain');
    grainDrawn = Float32Array.from({ length: 65536 }, () => random.bell());
  }
  return grainDrawn;
}
