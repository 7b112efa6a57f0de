import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Random } from '../../../../models/random';
import { fillBox, stops, white } from './light';

/** Light from one side over all of a picture, and now and then a glare. */
export function paintLight(context: SKRSContext2D, size: number, strength: number, random: Random): void {
  const angle = random.between(0, Math.PI * 2);
  const x = Math.cos(angle) * size * 0.6;
  const y = Math.sin(angle) * size * 0.6;
  const light = context.createLinearGradient(size / 2 - x, size / 2 - y, size / 2 + x, size / 2 + y);
  stops(
    light,
    [0, `rgba(255,248,232,${random.between(0, strength)})`],
    [0.5, 'rgba(128,124,116,0)'],
    [1, `rgba(0,0,10,${random.between(0, strength * 1.3)})`],
  );
  fillBox(context, light, 0, 0, size, size);
  if (random.chance(strength)) paintGlare(context, size, random);
}

function paintGlare(context: SKRSContext2D, size: number, random: Random): void {
  const x = random.between(0.2, 0.8) * size;
  const y = random.between(0.2, 0.8) * size;
  const radius = random.between(0.08, 0.3) * size;
  const glare = context.createRadialGradient(x, y, 0, x, y, radius);
  stops(glare, [0, white(random.between(0.2, 0.7))], [1, white(0)]);
  fillBox(context, glare, 0, 0, size, size);
}

/** Blurs all of a picture by a radius in pixels. */
export function blur(context: SKRSContext2D, size: number, radius: number): void {
  const copy = copied(context, size);
  context.save();
  context.filter = `blur(${radius.toFixed(2)}px)`;
  context.drawImage(copy, 0, 0);
  context.restore();
}

/** Smears a picture along a direction (radians), as a hand that was not still. */
export function smear(context: SKRSContext2D, size: number, length: number, angle: number): void {
  const copy = copied(context, size);
  const steps = Math.max(2, Math.ceil(length));
  context.save();
  for (let step = 1; step < steps; step++) {
    const along = (step / steps - 0.5) * length;
    // Each layer over the mean of those before it: all weigh the same in the end.
    context.globalAlpha = 1 / (step + 1);
    context.drawImage(copy, Math.cos(angle) * along, Math.sin(angle) * along);
  }
  context.restore();
}

function copied(context: SKRSContext2D, size: number) {
  const copy = createCanvas(size, size);
  copy.getContext('2d').drawImage(context.canvas, 0, 0);
  return copy;
}
