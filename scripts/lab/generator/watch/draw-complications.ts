import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { at } from '../../../../models/random';
import { black, fillBox } from '../brush/light';
import { css, lit } from '../brush/rgb';
import type { Complication, WatchLook } from '../look/look';
import { write } from '../paint/lettering';
import { circle, disc, ring, segment } from '../paint/shapes';
import { dialHalves } from './easel';

/** Where the small dials sit: share of the way out to the right and down, and radius by the case's. */
const SUBDIALS: Readonly<Record<Complication, readonly (readonly [number, number, number])[]>> = {
  none: [],
  'small-seconds': [[0, 0.46, 0.24]],
  chronograph: [
    [-0.46, 0, 0.23],
    [0.46, 0, 0.23],
    [0, 0.46, 0.23],
  ],
  bicompax: [
    [-0.46, 0, 0.25],
    [0.46, 0, 0.25],
  ],
  moonphase: [[0, 0.46, 0.25]],
  gmt: [],
  'power-reserve': [],
  calendar: [
    [-0.47, 0, 0.21],
    [0.47, 0, 0.21],
    [0, 0.48, 0.22],
    [0, -0.46, 0.2],
  ],
};

const DAYS = ['LUN', 'MAR', 'MER', 'JEU', 'VEN', 'SAM', 'DIM'];

/** The small dials of the watch's complication, and their hands at a time. */
export function drawSubdials(context: Context, look: WatchLook, minutes: number): void {
  const { halfWidth, halfHeight } = dialHalves(look);
  SUBDIALS[look.complication].forEach(([right, down, size], index) => {
    context.save();
    context.translate(right * halfWidth, down * halfHeight);
    const radius = size * Math.min(halfWidth, halfHeight);
    if ((look.complication === 'moonphase' || look.complication === 'calendar') && down > 0)
      drawMoon(context, radius, minutes);
    else drawSubdial(context, look, radius, (minutes * (index + 3)) % 60);
    context.restore();
  });
  if (look.complication === 'power-reserve') drawReserve(context, look, halfHeight, minutes);
  if (look.complication === 'gmt') drawDayRing(context, look);
}

/** The window with the day of the month. */
export function drawDateWindow(context: Context, look: WatchLook): void {
  if (look.dateWindow === 'none') return;
  const { halfWidth, halfHeight } = dialHalves(look);
  const height = look.radius * 0.13;
  context.save();
  if (look.dateWindow === 'six') context.translate(0, halfHeight * 0.76);
  else if (look.dateWindow === 'half-past-four') context.translate(halfWidth * 0.5, halfHeight * 0.5);
  else context.translate(halfWidth * 0.7, 0);
  window(context, look, height * 1.35, height);
  write(context, `${1 + (look.seed % 28)}`, height * 0.62, height * 0.1);
  context.restore();
  if (look.dateWindow !== 'day-date') return;
  context.save();
  context.translate(0, -halfHeight * 0.76);
  window(context, look, height * 2.5, height);
  write(context, at(DAYS, look.seed), height * 0.5, height * 0.09);
  context.restore();
}

/** Leaves its ink to write with. */
function window(context: Context, look: WatchLook, width: number, height: number): void {
  fillBox(context, 'rgb(248,247,243)', -width / 2, -height / 2, width, height);
  context.lineWidth = 3.5;
  context.strokeStyle = css(lit(look.indexColour, -0.1));
  context.strokeRect(-width / 2, -height / 2, width, height);
  context.strokeStyle = 'rgb(24,24,28)';
}

function drawSubdial(context: Context, look: WatchLook, radius: number, pointer: number): void {
  context.fillStyle = css(look.subdialColour);
  disc(context, 0, 0, radius);
  context.lineWidth = 1.2;
  context.strokeStyle = black(0.14);
  for (let share = 0.25; share < 1; share += 0.16) ring(context, 0, 0, radius * share);
  context.lineWidth = 3;
  context.strokeStyle = css(lit(look.subdialColour, -0.35));
  ring(context, 0, 0, radius);
  context.strokeStyle = css(look.indexColour);
  drawMarks(context, radius, 0.94, 0.8, 3, 1.4);
  context.rotate((pointer / 60) * Math.PI * 2);
  fillBox(context, css(look.handColour), -2.4, -radius * 0.78, 4.8, radius * 0.98);
  disc(context, 0, 0, 6);
}

/** Twenty-four marks round a circle, four of them wide. */
function drawMarks(
  context: Context,
  radius: number,
  from: number,
  to: number,
  wide: number,
  narrow: number,
): void {
  for (let mark = 0; mark < 24; mark++) {
    const angle = (mark / 24) * Math.PI * 2;
    const at = (share: number) => ({
      x: Math.sin(angle) * radius * share,
      y: -Math.cos(angle) * radius * share,
    });
    segment(context, at(from), at(to), mark % 6 === 0 ? wide : narrow);
  }
}

function drawMoon(context: Context, radius: number, minutes: number): void {
  context.fillStyle = 'rgb(16,28,72)';
  disc(context, 0, 0, radius);
  context.save();
  circle(context, 0, 0, radius);
  context.clip();
  context.fillStyle = 'rgb(240,222,160)';
  for (let star = 0; star < 9; star++) {
    const x = Math.sin(star * 2.4) * radius * 0.75;
    disc(context, x, -radius * 0.1 - Math.abs(Math.cos(star * 1.7)) * radius * 0.7, 2.4);
  }
  disc(context, ((minutes % 29) / 29 - 0.5) * radius, -radius * 0.2, radius * 0.42);
  context.fillStyle = 'rgb(205,208,214)';
  for (const side of [-1, 1]) disc(context, side * radius * 0.55, radius * 0.55, radius * 0.55);
  context.restore();
  context.lineWidth = 3;
  context.strokeStyle = 'rgb(190,190,196)';
  ring(context, 0, 0, radius);
}

function drawReserve(context: Context, look: WatchLook, halfHeight: number, minutes: number): void {
  const radius = look.radius * 0.22;
  context.save();
  context.translate(0, halfHeight * 0.5);
  context.lineWidth = 6;
  for (const [style, to] of [
    [css(look.indexColour, 0.8), 2.15],
    [css(look.accent), 1.15],
  ] as const) {
    context.strokeStyle = style;
    context.beginPath();
    context.arc(0, 0, radius, Math.PI * 0.85, Math.PI * to);
    context.stroke();
  }
  context.rotate(-1.9 + (minutes % 60) / 18);
  fillBox(context, css(look.handColour), -2.5, -radius * 0.9, 5, radius);
  context.restore();
}

function drawDayRing(context: Context, look: WatchLook): void {
  context.strokeStyle = css(look.accent, 0.9);
  drawMarks(context, look.radius * 0.5, 1, 0.94, 5, 2);
}
