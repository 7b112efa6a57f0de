import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import glyphs from './glyphs.json';

/** Strokes of each letter and digit on a grid 4 wide and 6 high (x right, y down). Drawn, not set in a font: fonts differ between machines. */
const GLYPHS: Readonly<Record<string, readonly (readonly number[])[]>> = glyphs;

const ADVANCE: Readonly<Record<string, number>> = { I: 2, V: 4, X: 4.2, '1': 3.4, ' ': 2.6 };

/** Roman numerals as watch dials write them, four as IIII; index 0 is twelve. */
export const ROMAN = ['XII', 'I', 'II', 'III', 'IIII', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI'] as const;

/** Writes digits and capitals, centred on the origin, in the current stroke style; other characters leave a gap. */
export function write(context: Context, text: string, height: number, weight: number, spacing = 1): void {
  const unit = height / 6;
  const glyphs = [...text];
  const widths = glyphs.map((glyph) => (ADVANCE[glyph] ?? 4.6) * unit * spacing);
  let left = -widths.reduce((sum, width) => sum + width, 0) / 2;
  context.lineWidth = weight;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.beginPath();
  glyphs.forEach((glyph, index) => {
    const width = widths[index] ?? 0;
    const shift = left + (width - 4 * unit) / 2;
    for (const stroke of GLYPHS[glyph] ?? []) {
      for (let point = 0; point < stroke.length; point += 2) {
        const x = shift + (stroke[point] ?? 0) * unit;
        const y = (stroke[point + 1] ?? 0) * unit - height / 2;
        if (point === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
    }
    left += width;
  });
  context.stroke();
}
