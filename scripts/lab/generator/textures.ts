import sharp from 'sharp';
import { Random } from '../../../models/random';
import type { Surface } from './bags';
import { decodeSvg, svg, times } from './svg';

/* A surface is drawn once as heights (opacity), lit from the upper left, and kept as black and white by opacity to lie over any colour. */

/** The heights are drawn in a square of 512 units; the picture of them has fewer pixels. */
const UNITS = 512;
const SIDE = 360;

/** How a surface is made: its heights as SVG, how soft they are, and how deep. */
interface Relief {
  readonly heights: string;
  readonly blur: number;
  readonly depth: number;
}

const noise = (frequency: number, octaves: number): string =>
  `<filter id="n" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency="${frequency}" numOctaves="${octaves}" seed="3"/><feColorMatrix values="0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 2.2 0 0 0 -.6"/></filter><rect width="512" height="512" filter="url(#n)"/>`;
const tiled = (size: number, drawn: string, turn = 0): string =>
  `<pattern id="p" width="${size}" height="${size}" patternUnits="userSpaceOnUse" patternTransform="rotate(${turn})">${drawn}</pattern><rect width="512" height="512" fill="url(#p)"/>`;
function scales(): string {
  const [width, height, random] = [44, 30, new Random('scales')];
  const off = () => random.bell() * 0.07;
  return times(Math.ceil(UNITS / height) + 1, (row) =>
    times(Math.ceil(UNITS / width) + 2, (column) => {
      const x = (column - (row % 2) / 2 - 0.5 + off()) * width;
      const y = (row - 0.5 + off()) * height;
      return svg`<rect x="${x}" y="${y}" width="${width * (0.88 + off())}" height="${height * (0.86 + off())}" rx="11"/>`;
    }),
  );
}

// biome-ignore format: a table
const RELIEFS: Readonly<Record<Surface, Relief>> = {
  smooth: { heights: noise(0.012, 2), blur: 0, depth: 9 },
  patent: { heights: noise(0.006, 1), blur: 0, depth: 14 },
  grained: { heights: noise(0.17, 2), blur: 0.6, depth: 2.6 },
  suede: { heights: noise(0.35, 2), blur: 0.5, depth: 1.6 },
  canvas: { heights: tiled(7, '<rect width="3.5" height="3.5"/><rect x="3.5" y="3.5" width="3.5" height="3.5"/>'), blur: 0.8, depth: 1.6 },
  denim: { heights: tiled(6, '<rect width="3.3" height="6"/>', 62), blur: 0.8, depth: 2.4 },
  tweed: { heights: tiled(11, '<rect width="6" height="11" fill-opacity=".5"/>', 40) + noise(0.2, 2), blur: 0.8, depth: 4 },
  woven: { heights: tiled(60,
      '<rect x="2" y="2" width="26" height="56" rx="5"/><rect x="32" y="2" width="26" height="26" rx="5"/><rect x="32" y="32" width="26" height="26" rx="5"/>',
      45,
    ), blur: 3.5, depth: 9 },
  quilted: { heights: tiled(64, '<rect x="3" y="3" width="58" height="58" rx="8"/>', 45), blur: 8, depth: 22 },
  crocodile: { heights: scales(), blur: 2, depth: 6 },
  python: { heights: tiled(30, '<rect x="2" y="2" width="26" height="26" rx="6"/>', 45), blur: 1.6, depth: 6 },
};

const known = new Map<Surface, Promise<string>>();

/** The light and shade of a surface as a data URI, made once. */
export function texture(surface: Surface): Promise<string> {
  const made = known.get(surface) ?? lit(RELIEFS[surface]);
  known.set(surface, made);
  return made;
}

async function lit({ heights, blur, depth }: Relief): Promise<string> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 ${UNITS} ${UNITS}"><filter id="lit" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB"><feGaussianBlur stdDeviation="${blur}"/><feDiffuseLighting surfaceScale="${depth}" diffuseConstant="0.62" lighting-color="white"><feDistantLight azimuth="235" elevation="54"/></feDiffuseLighting></filter><g filter="url(#lit)">${heights}</g></svg>`;
  const { data } = await decodeSvg(drawing)
    .flatten({ background: '#808080' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const shades = Buffer.alloc(data.length * 2);
  for (const [at, value] of data.entries()) {
    shades[at * 2] = value < 128 ? 0 : 255;
    shades[at * 2 + 1] = Math.min(255, Math.abs(value - 128) * 2);
  }
  const png = await sharp(shades, { raw: { width: SIDE, height: SIDE, channels: 2 } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}
