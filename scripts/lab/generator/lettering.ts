import { glyphs } from './shapes.json';
import { moved, svg } from './svg';

/* Strokes of letters and digits: fonts differ between machines, and a picture must not. */

/** Polylines on a grid 4 wide and 6 high. */
const GLYPHS: Readonly<Record<string, string>> = glyphs;
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
