import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import { black, fillBox } from '../brush/light';
import { css, lit } from '../brush/rgb';
import type { Complication, DateWindow, IndexStyle, WatchLook } from '../look/look';
import { ROMAN, write } from '../paint/lettering';
import { polished } from '../paint/metal';
import { disc, polygon, segment } from '../paint/shapes';
import { drawGem } from './draw-bezel';
import { dialHalves } from './easel';
import { dialShape, rim } from './outline';

const HOURS_UNDER_DATE: Readonly<Record<DateWindow, readonly number[]>> = {
  none: [],
  three: [3],
  'half-past-four': [],
  six: [6],
  'day-date': [12, 3],
};

/** Where subdials leave no room for large numerals. */
const HOURS_UNDER_SUBDIALS: Partial<Readonly<Record<Complication, readonly number[]>>> = {
  chronograph: [3, 6, 9],
  calendar: [3, 6, 9],
  bicompax: [3, 9],
  'small-seconds': [6],
  moonphase: [6],
};
const LARGE: readonly IndexStyle[] = ['roman', 'arabic', 'mixed'];

/** Draws the mark of an hour about the origin; `third` is whether it stands at 3, 6, 9 or 12. */
type Draw = (context: Context, look: WatchLook, hour: number, angle: number, third: boolean) => void;

const INDICES: Readonly<Record<IndexStyle, Draw>> = {
  batons: (context, look, hour, angle, third) =>
    drawBaton(context, look, hour, angle, look.radius * (third ? 0.16 : 0.13), look.radius * 0.034),
  roman: drawRoman,
  arabic: (context, look, hour) => drawArabic(context, look, hour, look.radius * 0.155, look.radius * 0.026),
  dots: drawDot,
  gems: (context, look, hour, _, third) =>
    drawGem(context, { x: 0, y: 0 }, look.radius * (third ? 0.05 : 0.036), hour),
  wedges: (context, look, _, angle, third) =>
    drawWedge(context, look, angle, look.radius * (third ? 0.19 : 0.14), look.radius * 0.05),
  mixed: (context, look, hour, angle, third) =>
    third
      ? drawArabic(context, look, hour, look.radius * 0.17, look.radius * 0.03)
      : drawBaton(context, look, hour, angle, look.radius * 0.13, look.radius * 0.03),
};

/** The marks at the hours, leaving out those that a date window or a subdial takes the place of. */
export function drawIndices(context: Context, look: WatchLook): void {
  const share = look.indices === 'roman' || look.indices === 'arabic' ? 0.77 : 0.8;
  const covered = LARGE.includes(look.indices) ? (HOURS_UNDER_SUBDIALS[look.complication] ?? []) : [];
  for (let hour = 1; hour <= 12; hour++) {
    if (HOURS_UNDER_DATE[look.dateWindow].includes(hour) || covered.includes(hour)) continue;
    const angle = (hour / 12) * Math.PI * 2;
    const place = onDial(look, angle, share);
    context.save();
    context.translate(place.x, place.y);
    INDICES[look.indices](context, look, hour, angle, hour % 3 === 0);
    context.restore();
  }
}

/** The scale of minutes round the dial's edge. */
export function drawMinuteTrack(context: Context, look: WatchLook): void {
  if (look.minuteTrack === 'none') return;
  context.strokeStyle = css(look.indexColour, 0.85);
  context.fillStyle = css(look.indexColour, 0.85);
  if (look.minuteTrack === 'railway') {
    for (const share of [0.97, 0.92]) {
      context.lineWidth = 2;
      context.beginPath();
      for (let step = 0; step <= 120; step++) {
        const point = onDial(look, (step / 120) * Math.PI * 2, share);
        context.lineTo(point.x, point.y);
      }
      context.stroke();
    }
  }
  for (let minute = 0; minute < 60; minute++) {
    const isFifth = minute % 5 === 0;
    const angle = (minute / 60) * Math.PI * 2;
    const outer = onDial(look, angle, 0.965);
    if (look.minuteTrack === 'dots') disc(context, outer.x, outer.y, isFifth ? 3.4 : 2);
    else segment(context, outer, onDial(look, angle, isFifth ? 0.915 : 0.93), isFifth ? 3 : 1.8);
  }
}

/** A point on the dial in a direction, a share of the way from its middle to its edge. */
function onDial(look: WatchLook, angle: number, share: number) {
  const { halfWidth, halfHeight } = dialHalves(look);
  return rim(dialShape(look.caseShape), halfWidth * share, halfHeight * share, angle);
}

function drawBaton(
  context: Context,
  look: WatchLook,
  hour: number,
  angle: number,
  length: number,
  width: number,
): void {
  context.rotate(angle);
  const bars = hour === 12 ? [-width * 0.75, width * 0.75] : [0];
  for (const x of bars) {
    fillBox(context, black(0.4), x - width / 2 + 2, -length / 2 + 3, width, length);
    fillBox(context, css(lit(look.indexColour, 0.1)), x - width / 2, -length / 2, width, length);
    fillBox(context, css(lit(look.indexColour, -0.35)), x, -length / 2, width / 2, length);
  }
}

function drawRoman(context: Context, look: WatchLook, hour: number, angle: number): void {
  const round = dialShape(look.caseShape) === 'round';
  if (round) context.rotate(hour > 3 && hour < 9 ? angle + Math.PI : angle);
  context.strokeStyle = css(look.indexColour);
  write(context, ROMAN[hour % 12] ?? '', look.radius * 0.17, look.radius * 0.022);
}

function drawArabic(context: Context, look: WatchLook, hour: number, height: number, weight: number): void {
  context.translate(1.5, 2);
  context.strokeStyle = black(0.35);
  write(context, `${hour}`, height, weight);
  context.translate(-1.5, -2);
  context.strokeStyle = css(look.indexColour);
  write(context, `${hour}`, height, weight);
}

function drawDot(context: Context, look: WatchLook, hour: number, angle: number, third: boolean): void {
  const radius = look.radius * 0.052;
  context.rotate(angle);
  context.beginPath();
  if (hour === 12)
    polygon(context, [-radius * 1.3, -radius * 1.2], [radius * 1.3, -radius * 1.2], [0, radius * 1.5]);
  else if (third) context.rect(-radius * 0.62, -radius * 1.3, radius * 1.24, radius * 2.6);
  else context.arc(0, 0, radius, 0, Math.PI * 2);
  context.fillStyle = css(look.lume);
  context.fill();
  context.lineWidth = 3.4;
  const corner = { x: radius, y: radius };
  context.strokeStyle = polished(context, look.secondMetal, { x: -radius, y: -radius }, corner);
  context.stroke();
}

function drawWedge(context: Context, look: WatchLook, angle: number, length: number, width: number): void {
  context.rotate(angle);
  for (const [side, light] of [
    [-1, 0.25],
    [1, -0.35],
  ] as const) {
    context.fillStyle = css(lit(look.indexColour, light));
    context.beginPath();
    context.moveTo(0, -length / 2);
    context.lineTo((side * width) / 2, -length / 2);
    context.lineTo(0, length / 2);
    context.fill();
  }
}
