import { n } from './svg';
import type { BagCut } from './vocabulary';

/** How bags of a cut are made. */
export interface Cut {
  /** Width of the top against that of the base; radii of corners against the width; dip of the top edge against the height. */
  readonly flare: number;
  readonly top: number;
  readonly base: number;
  readonly dip: number;
  readonly closing: 'open' | 'zip' | 'flap' | 'envelope' | 'gathered';
  readonly carry: 'two' | 'one' | 'strap' | 'loop' | 'none';
  readonly extra?: 'belts' | 'pocket';
}

// biome-ignore format: a table
export const CUTS: Readonly<Record<BagCut, Cut>> = {
  tote: { flare: 1.14, top: 0.02, base: 0.07, dip: 0.03, closing: 'open', carry: 'two' },
  flap: { flare: 0.97, top: 0.07, base: 0.1, dip: 0, closing: 'flap', carry: 'strap' },
  hobo: { flare: 0.92, top: 0.07, base: 0.36, dip: 0.2, closing: 'zip', carry: 'one' },
  bucket: { flare: 1.1, top: 0.04, base: 0.1, dip: -0.03, closing: 'gathered', carry: 'strap' },
  satchel: { flare: 0.98, top: 0.05, base: 0.06, dip: 0, closing: 'flap', carry: 'one', extra: 'belts' },
  clutch: { flare: 1, top: 0.02, base: 0.04, dip: 0, closing: 'envelope', carry: 'none' },
  'top handle': { flare: 0.84, top: 0.04, base: 0.07, dip: 0, closing: 'flap', carry: 'one' },
  backpack: { flare: 0.84, top: 0.3, base: 0.14, dip: -0.02, closing: 'flap', carry: 'loop', extra: 'pocket' },
  bowling: { flare: 0.86, top: 0.26, base: 0.12, dip: -0.02, closing: 'zip', carry: 'two' },
  camera: { flare: 1, top: 0.14, base: 0.14, dip: 0, closing: 'zip', carry: 'strap', extra: 'pocket' },
  saddle: { flare: 0.94, top: 0.1, base: 0.42, dip: 0, closing: 'flap', carry: 'strap' },
};

/** A closed shape on y = `base`, as wide as given there: straight sides, round corners, a top edge that may dip. */
export function outline(
  width: number,
  height: number,
  cut: Pick<Cut, 'flare' | 'top' | 'base' | 'dip'>,
  base = 0,
): string {
  const [b, t] = [width / 2, (width / 2) * cut.flare];
  const length = Math.hypot(t - b, height);
  const [rb, rt] = [Math.min(cut.base * width, height * 0.55), Math.min(cut.top * width, height * 0.45)];
  const x = (radius: number) => ((t - b) / length) * radius;
  const y = (up: number) => n(base - up);
  const [low, high] = [y((height / length) * rb), y(height - (height / length) * rt)];
  const dip = y(height - 2 * cut.dip * height);
  return `M${n(rb - b)} ${y(0)}Q${n(-b)} ${y(0)} ${n(-b - x(rb))} ${low}L${n(x(rt) - t)} ${high}Q${n(-t)} ${y(height)} ${n(rt - t)} ${y(height)}
    Q0 ${dip} ${n(t - rt)} ${y(height)}Q${n(t)} ${y(height)} ${n(t - x(rt))} ${high}L${n(b + x(rb))} ${low}Q${n(b)} ${y(0)} ${n(b - rb)} ${y(0)}Z`;
}
