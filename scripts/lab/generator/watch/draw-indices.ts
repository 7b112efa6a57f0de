import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lit } from '../../../../workers/image/distortion/rgb';
import type { DateWindow, WatchLook } from '../look/look';
import { ROMAN, write } from '../paint/lettering';
import { polished } from '../paint/metal';
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

/** The marks at the hours, leaving out those that a date window takes the place of. */
export function drawIndices(context: SKRSContext2D, look: WatchLook): void {
  for (let hour = 1; hour <= 12; hour++) {
    if (HOURS_UNDER_DATE[look.dateWindow].includes(hour) || crowded(look, hour)) continue;
    const angle = (hour / 12) * Math.PI * 2;
    const place = onDial(look, angle, look.indices === 'roman' || look.indices === 'arabic' ? 0.77 : 0.8);
    context.save();
    context.translate(place.x, place.y);
    drawIndex(context, look, hour, angle);
    context.restore();
  }
}

/** The scale of minutes round the dial's edge. */
export function drawMinuteTrack(context: SKRSContext2D, look: WatchLook): void {
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
    const angle = (minute / 60) * Math.PI * 2;
    const outer = onDial(look, angle, 0.965);
    const inner = onDial(look, angle, minute % 5 === 0 ? 0.915 : 0.93);
    context.beginPath();
    if (look.minuteTrack === 'dots') {
      context.arc(outer.x, outer.y, minute % 5 === 0 ? 3.4 : 2, 0, Math.PI * 2);
      context.fill();
    } else {
      context.lineWidth = minute % 5 === 0 ? 3 : 1.8;
      context.moveTo(outer.x, outer.y);
      context.lineTo(inner.x, inner.y);
      context.stroke();
    }
  }
}

/** A point on the dial in a direction, a share of the way from its middle to its edge. */
function onDial(look: WatchLook, angle: number, share: number) {
  const { halfWidth, halfHeight } = dialHalves(look);
  return rim(dialShape(look.caseShape), halfWidth * share, halfHeight * share, angle);
}

/** Subdials leave no room for large numerals. */
function crowded(look: WatchLook, hour: number): boolean {
  if (look.indices !== 'roman' && look.indices !== 'arabic' && look.indices !== 'mixed') return false;
  switch (look.complication) {
    case 'chronograph':
    case 'calendar':
      return hour === 3 || hour === 6 || hour === 9;
    case 'bicompax':
      return hour === 3 || hour === 9;
    case 'small-seconds':
    case 'moonphase':
      return hour === 6;
    default:
      return false;
  }
}

function drawIndex(context: SKRSContext2D, look: WatchLook, hour: number, angle: number): void {
  const size = look.radius;
  switch (look.indices) {
    case 'batons':
      drawBaton(context, look, hour, angle, size * (hour % 3 === 0 ? 0.16 : 0.13), size * 0.034);
      break;
    case 'roman':
      drawRoman(context, look, hour, angle);
      break;
    case 'arabic':
      drawArabic(context, look, hour, size * 0.155, size * 0.026);
      break;
    case 'dots':
      drawDot(context, look, hour, angle, size * 0.052);
      break;
    case 'gems':
      drawGem(context, { x: 0, y: 0 }, size * (hour % 3 === 0 ? 0.05 : 0.036), hour);
      break;
    case 'wedges':
      drawWedge(context, look, angle, size * (hour % 3 === 0 ? 0.19 : 0.14), size * 0.05);
      break;
    case 'mixed':
      if (hour % 3 === 0) drawArabic(context, look, hour, size * 0.17, size * 0.03);
      else drawBaton(context, look, hour, angle, size * 0.13, size * 0.03);
      break;
  }
}

function drawBaton(
  context: SKRSContext2D,
  look: WatchLook,
  hour: number,
  angle: number,
  length: number,
  width: number,
): void {
  context.rotate(angle);
  const bars = hour === 12 ? [-width * 0.75, width * 0.75] : [0];
  for (const x of bars) {
    context.fillStyle = 'rgba(0,0,0,0.4)';
    context.fillRect(x - width / 2 + 2, -length / 2 + 3, width, length);
    context.fillStyle = css(lit(look.indexColour, 0.1));
    context.fillRect(x - width / 2, -length / 2, width, length);
    context.fillStyle = css(lit(look.indexColour, -0.35));
    context.fillRect(x, -length / 2, width / 2, length);
  }
}

function drawRoman(context: SKRSContext2D, look: WatchLook, hour: number, angle: number): void {
  const round = dialShape(look.caseShape) === 'round';
  if (round) context.rotate(hour > 3 && hour < 9 ? angle + Math.PI : angle);
  context.strokeStyle = css(look.indexColour);
  write(context, ROMAN[hour % 12] ?? '', look.radius * 0.17, look.radius * 0.022);
}

function drawArabic(
  context: SKRSContext2D,
  look: WatchLook,
  hour: number,
  height: number,
  weight: number,
): void {
  context.translate(1.5, 2);
  context.strokeStyle = 'rgba(0,0,0,0.35)';
  write(context, `${hour}`, height, weight);
  context.translate(-1.5, -2);
  context.strokeStyle = css(look.indexColour);
  write(context, `${hour}`, height, weight);
}

function drawDot(context: SKRSContext2D, look: WatchLook, hour: number, angle: number, radius: number): void {
  context.rotate(angle);
  context.beginPath();
  if (hour === 12) {
    context.moveTo(-radius * 1.3, -radius * 1.2);
    context.lineTo(radius * 1.3, -radius * 1.2);
    context.lineTo(0, radius * 1.5);
    context.closePath();
  } else if (hour % 3 === 0) context.rect(-radius * 0.62, -radius * 1.3, radius * 1.24, radius * 2.6);
  else context.arc(0, 0, radius, 0, Math.PI * 2);
  context.fillStyle = css(look.lume);
  context.fill();
  context.lineWidth = 3.4;
  context.strokeStyle = polished(
    context,
    look.secondMetal,
    { x: -radius, y: -radius },
    { x: radius, y: radius },
  );
  context.stroke();
}

function drawWedge(
  context: SKRSContext2D,
  look: WatchLook,
  angle: number,
  length: number,
  width: number,
): void {
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
