import type { SKRSContext2D } from '@napi-rs/canvas';

/** Strokes of each letter and digit on a grid 4 wide and 6 high (x right, y down). Drawn, not set in a font: fonts differ between machines. */
const GLYPHS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  '0': [[2, 0, 3.4, 0.8, 3.8, 3, 3.4, 5.2, 2, 6, 0.6, 5.2, 0.2, 3, 0.6, 0.8, 2, 0]],
  '1': [[0.8, 1.2, 2.2, 0, 2.2, 6]],
  '2': [[0.3, 1.4, 1, 0.2, 2.6, 0, 3.7, 1.2, 3.4, 2.6, 0.2, 6, 3.9, 6]],
  '3': [[0.4, 0.7, 1.8, 0, 3.4, 0.5, 3.5, 2, 1.8, 2.8, 3.6, 3.5, 3.6, 5.2, 2, 6, 0.3, 5.3]],
  '4': [[2.9, 6, 2.9, 0, 0, 4.2, 4, 4.2]],
  '5': [[3.6, 0, 0.8, 0, 0.5, 2.7, 2.2, 2.3, 3.7, 3.2, 3.6, 5.2, 1.9, 6, 0.3, 5.4]],
  '6': [[3.3, 0.4, 1.6, 0.4, 0.4, 2.6, 0.4, 4.8, 1.9, 6, 3.6, 4.9, 3.5, 3.3, 2, 2.6, 0.5, 3.4]],
  '7': [[0.2, 0, 3.8, 0, 1.5, 6]],
  '8': [
    [
      2, 2.7, 0.6, 1.8, 0.8, 0.5, 2, 0, 3.2, 0.5, 3.4, 1.8, 2, 2.7, 0.3, 3.9, 0.5, 5.5, 2, 6, 3.5, 5.5, 3.7,
      3.9, 2, 2.7,
    ],
  ],
  '9': [[0.7, 5.6, 2.4, 5.6, 3.6, 3.4, 3.6, 1.2, 2.1, 0, 0.4, 1.1, 0.5, 2.7, 2, 3.4, 3.5, 2.6]],
  A: [
    [0.1, 6, 2, 0, 3.9, 6],
    [0.8, 4, 3.2, 4],
  ],
  B: [
    [
      0.5, 0, 2.4, 0, 3.3, 0.8, 3.2, 2.2, 2.2, 2.8, 0.5, 2.8, 2.6, 2.8, 3.7, 3.8, 3.6, 5.3, 2.5, 6, 0.5, 6,
      0.5, 0,
    ],
  ],
  C: [[3.8, 1.2, 2.8, 0.1, 1.4, 0.2, 0.3, 1.8, 0.3, 4.2, 1.4, 5.8, 2.8, 5.9, 3.8, 4.8]],
  D: [[0.4, 0, 2, 0, 3.4, 1.2, 3.8, 3, 3.4, 4.8, 2, 6, 0.4, 6, 0.4, 0]],
  E: [
    [3.5, 0, 0.5, 0, 0.5, 6, 3.6, 6],
    [0.5, 2.9, 3, 2.9],
  ],
  F: [
    [3.5, 0, 0.5, 0, 0.5, 6],
    [0.5, 2.9, 3, 2.9],
  ],
  G: [[3.7, 1.1, 2.7, 0.1, 1.3, 0.2, 0.2, 1.9, 0.2, 4.2, 1.3, 5.8, 2.8, 5.9, 3.8, 4.8, 3.8, 3.2, 2.4, 3.2]],
  H: [
    [0.4, 0, 0.4, 6],
    [3.6, 0, 3.6, 6],
    [0.4, 3, 3.6, 3],
  ],
  I: [[2, 0, 2, 6]],
  J: [[3, 0, 3, 4.6, 2.3, 5.9, 1, 5.9, 0.4, 4.8]],
  K: [
    [0.5, 0, 0.5, 6],
    [3.6, 0, 0.5, 3.4],
    [1.6, 2.3, 3.8, 6],
  ],
  L: [[0.6, 0, 0.6, 6, 3.6, 6]],
  M: [[0, 6, 0.3, 0, 2, 4, 3.7, 0, 4, 6]],
  N: [[0.4, 6, 0.4, 0, 3.6, 6, 3.6, 0]],
  O: [[2, 0, 0.6, 0.9, 0.1, 3, 0.6, 5.1, 2, 6, 3.4, 5.1, 3.9, 3, 3.4, 0.9, 2, 0]],
  P: [[0.5, 6, 0.5, 0, 2.5, 0, 3.6, 0.9, 3.5, 2.5, 2.4, 3.2, 0.5, 3.2]],
  Q: [
    [2, 0, 0.6, 0.9, 0.1, 3, 0.6, 5.1, 2, 6, 3.4, 5.1, 3.9, 3, 3.4, 0.9, 2, 0],
    [2.4, 4.6, 4, 6.4],
  ],
  R: [
    [0.5, 6, 0.5, 0, 2.5, 0, 3.6, 0.9, 3.5, 2.4, 2.4, 3.1, 0.5, 3.1],
    [2, 3.1, 3.8, 6],
  ],
  S: [[3.5, 0.9, 2.4, 0, 1.2, 0.1, 0.5, 1.3, 1, 2.5, 3.1, 3.4, 3.6, 4.7, 2.8, 5.9, 1.4, 6, 0.3, 5]],
  T: [
    [0, 0, 4, 0],
    [2, 0, 2, 6],
  ],
  U: [[0.4, 0, 0.4, 4.2, 1.2, 5.8, 2.8, 5.8, 3.6, 4.2, 3.6, 0]],
  V: [[0.3, 0, 2, 6, 3.7, 0]],
  W: [[0, 0, 0.9, 6, 2, 1.6, 3.1, 6, 4, 0]],
  X: [
    [0.3, 0, 3.7, 6],
    [3.7, 0, 0.3, 6],
  ],
  Y: [
    [0.2, 0, 2, 3, 3.8, 0],
    [2, 3, 2, 6],
  ],
  Z: [[0.4, 0, 3.7, 0, 0.3, 6, 3.8, 6]],
};

const ADVANCE: Readonly<Record<string, number>> = { I: 2, V: 4, X: 4.2, '1': 3.4, ' ': 2.6 };

/** Roman numerals as watch dials write them, four as IIII; index 0 is twelve. */
export const ROMAN = ['XII', 'I', 'II', 'III', 'IIII', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI'] as const;

/** Writes digits and capitals, centred on the origin, in the current stroke style; other characters leave a gap. */
export function write(
  context: SKRSContext2D,
  text: string,
  height: number,
  weight: number,
  spacing = 1,
): void {
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
