import { moved, svg } from './svg';

/* Strokes of letters and digits: fonts differ between machines, and a picture must not. */

/** Polylines on a grid 4 wide and 6 high. */
const GLYPHS: Readonly<Record<string, string>> = {
  0: 'M2 0 3.4 .8 3.8 3 3.4 5.2 2 6 .6 5.2 .2 3 .6 .8 2 0',
  1: 'M.8 1.2 2.2 0 2.2 6',
  2: 'M.3 1.4 1 .2 2.6 0 3.7 1.2 3.4 2.6 .2 6 3.9 6',
  3: 'M.4 .7 1.8 0 3.4 .5 3.5 2 1.8 2.8 3.6 3.5 3.6 5.2 2 6 .3 5.3',
  4: 'M2.9 6 2.9 0 0 4.2 4 4.2',
  5: 'M3.6 0 .8 0 .5 2.7 2.2 2.3 3.7 3.2 3.6 5.2 1.9 6 .3 5.4',
  6: 'M3.3 .4 1.6 .4 .4 2.6 .4 4.8 1.9 6 3.6 4.9 3.5 3.3 2 2.6 .5 3.4',
  7: 'M.2 0 3.8 0 1.5 6',
  8: 'M2 2.7 .6 1.8 .8 .5 2 0 3.2 .5 3.4 1.8 2 2.7 .3 3.9 .5 5.5 2 6 3.5 5.5 3.7 3.9 2 2.7',
  9: 'M.7 5.6 2.4 5.6 3.6 3.4 3.6 1.2 2.1 0 .4 1.1 .5 2.7 2 3.4 3.5 2.6',
  A: 'M.1 6 2 0 3.9 6M.8 4 3.2 4',
  B: 'M.5 0 2.4 0 3.3 .8 3.2 2.2 2.2 2.8 .5 2.8 2.6 2.8 3.7 3.8 3.6 5.3 2.5 6 .5 6 .5 0',
  C: 'M3.8 1.2 2.8 .1 1.4 .2 .3 1.8 .3 4.2 1.4 5.8 2.8 5.9 3.8 4.8',
  D: 'M.4 0 2 0 3.4 1.2 3.8 3 3.4 4.8 2 6 .4 6 .4 0',
  E: 'M3.5 0 .5 0 .5 6 3.6 6M.5 2.9 3 2.9',
  F: 'M3.5 0 .5 0 .5 6M.5 2.9 3 2.9',
  G: 'M3.7 1.1 2.7 .1 1.3 .2 .2 1.9 .2 4.2 1.3 5.8 2.8 5.9 3.8 4.8 3.8 3.2 2.4 3.2',
  H: 'M.4 0 .4 6M3.6 0 3.6 6M.4 3 3.6 3',
  I: 'M2 0 2 6',
  J: 'M3 0 3 4.6 2.3 5.9 1 5.9 .4 4.8',
  K: 'M.5 0 .5 6M3.6 0 .5 3.4M1.6 2.3 3.8 6',
  L: 'M.6 0 .6 6 3.6 6',
  M: 'M0 6 .3 0 2 4 3.7 0 4 6',
  N: 'M.4 6 .4 0 3.6 6 3.6 0',
  O: 'M2 0 .6 .9 .1 3 .6 5.1 2 6 3.4 5.1 3.9 3 3.4 .9 2 0',
  P: 'M.5 6 .5 0 2.5 0 3.6 .9 3.5 2.5 2.4 3.2 .5 3.2',
  Q: 'M2 0 .6 .9 .1 3 .6 5.1 2 6 3.4 5.1 3.9 3 3.4 .9 2 0M2.4 4.6 4 6.4',
  R: 'M.5 6 .5 0 2.5 0 3.6 .9 3.5 2.4 2.4 3.1 .5 3.1M2 3.1 3.8 6',
  S: 'M3.5 .9 2.4 0 1.2 .1 .5 1.3 1 2.5 3.1 3.4 3.6 4.7 2.8 5.9 1.4 6 .3 5',
  T: 'M0 0 4 0M2 0 2 6',
  U: 'M.4 0 .4 4.2 1.2 5.8 2.8 5.8 3.6 4.2 3.6 0',
  V: 'M.3 0 2 6 3.7 0',
  W: 'M0 0 .9 6 2 1.6 3.1 6 4 0',
  X: 'M.3 0 3.7 6M3.7 0 .3 6',
  Y: 'M.2 0 2 3 3.8 0M2 3 2 6',
  Z: 'M.4 0 3.7 0 .3 6 3.8 6',
};

const ADVANCES: Readonly<Record<string, number>> = { I: 2, V: 4, X: 4.2, '1': 3.4, ' ': 2.6 };

/** Roman numerals as dials have them; index 0 is twelve. */
export const ROMAN = 'XII I II III IIII V VI VII VIII IX X XI'.split(' ');

/** Capitals and digits around the origin, in strokes as wide as `weight` of their height; other characters leave a gap. */
export function lettering(text: string, height: number, colour: string, weight: number, spacing = 1): string {
  const advances = [...text].map((glyph) => (ADVANCES[glyph] ?? 4.6) * spacing);
  let left = -advances.reduce((sum, advance) => sum + advance, 0) / 2;
  const glyphs = [...text].map((glyph, at) => {
    const advance = advances[at] ?? 0;
    left += advance;
    return moved(left - (advance + 4) / 2, -3, `<path d="${GLYPHS[glyph] ?? ''}"/>`);
  });
  const stroke = svg`stroke="${colour}" stroke-width="${weight * 6}" stroke-linecap="round" stroke-linejoin="round"`;
  return svg`<g transform="scale(${height / 6})" fill="none" ${stroke}>${glyphs.join('')}</g>`;
}
