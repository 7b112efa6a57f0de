import type { Drawn } from './draw-bag';
import { dialOf, face, glass, hands, shapeOf } from './draw-dial';
import { lettering } from './lettering';
import {
  against,
  around,
  brightness,
  type Defs,
  disc,
  filled,
  moved,
  stroked,
  svg,
  times,
  tone,
} from './svg';
import { BRACELETS, type WatchLook } from './watches';

/** The angle from which a watch is seen, in radians, and the time on it in minutes after twelve. */
export interface WatchPose {
  readonly tilt: number;
  readonly minutes: number;
}

/** Light and shade of a watch's surfaces, as data URIs. */
interface WatchTextures {
  readonly strap: string;
  readonly dial: string;
}

/** Half of what is drawn of the strap's length. */
const REACH = 620;

/** Draws a watch around the origin, twelve up. */
export function drawWatch(look: WatchLook, pose: WatchPose, defs: Defs, textures: WatchTextures): Drawn {
  const watch = draw(watchOf(look, defs, textures), pose.minutes);
  // Seen from the side it is narrower, and a little sheared.
  const view = svg`skewY(${pose.tilt * 9}) scale(${Math.cos(pose.tilt * 0.9)} 1)`;
  return { drawing: `<g transform="${view}">${watch}</g>`, left: -400, right: 400, top: -400, bottom: 400 };
}

type Watch = ReturnType<typeof watchOf>;

const watchOf = (look: WatchLook, defs: Defs, textures: WatchTextures) => {
  const shape = shapeOf(look.shape);
  const radius = 268 + (look.millimetres - 38) * 4;
  const dark = tone(look.metal.value, -0.62);
  return {
    ...{ look, defs, textures, shape, radius, dark },
    /** Radius inside of the bezel. */
    inner: radius * (0.93 - look.bezelWidth),
    /** The edge of the case on its vertical axis. */
    edge: radius * shape.reach(Math.PI / 2),
    metal: defs.metal(look.metal.value),
    stroke: `stroke="${dark}" stroke-width="2"`,
  };
};

function draw(watch: Watch, minutes: number): string {
  const { radius, defs, shape, look, inner, dark } = watch;
  const below = defs.radial('.72 #000 .5, 1 #000 0');
  const beside = defs.linear(0, '.1 #000 0, .3 #000 .32, .7 #000 .32, .95 #000 0');
  const dial = dialOf(look, shape, inner, defs, watch.textures.dial);
  return svg`<rect x="${-radius * 0.7}" y="${-REACH}" width="${radius * 1.44}" height="${REACH * 2}" fill="${beside}"/>
    ${disc(14, 20, radius * 1.2, below)}${strap(watch)}${crown(watch)}${look.shape === 'octagon' ? '' : lugs(watch)}
    ${filled(shape.outline(radius), watch.metal, `stroke="${dark}" stroke-width="3"`)}
    ${stroked(shape.outline(radius * 0.965), tone(look.metal.value, 0.75), 2.5, 'stroke-opacity=".8"')}
    ${bezel(watch)}${stroked(shape.outline(inner + 5), dark, 7, 'stroke-opacity=".75"')}
    ${face(dial)}${hands(dial, minutes)}${glass(dial)}`;
}

function strap(watch: Watch): string {
  const { look, defs, radius, edge } = watch;
  const half = radius * (look.shape === 'octagon' || look.shape === 'tank' ? 0.6 : 0.5);
  const [narrow, start] = [half * 0.86, edge * 0.8];
  const d = svg`M${-half} ${-start}L${-narrow} ${-REACH}H${narrow}L${half} ${-start}V${start}L${narrow} ${REACH}H${-narrow}L${-half} ${start}Z`;
  // It bends away from the viewer towards its ends, and is in the shadow of the case.
  const shades = '0 #000 .6, .2 #000 .06, .26 #fff .14, .33 #000 .3, .67 #000 .3, .74 #fff .14, .8 #000 .06';
  const bend = defs.linear(90, `${shades}, 1 #000 .6`);
  const drawn = BRACELETS.includes(look.strap) ? bracelet(watch, half) : softStrap(watch, half, d);
  return defs.clipped(d, drawn + filled(d, bend)) + stroked(d, '#000', 2, 'stroke-opacity=".4"');
}

function bracelet(watch: Watch, half: number): string {
  const { look, defs } = watch;
  const metal = look.metal.value;
  const isOyster = look.strap === 'oyster';
  const shares = isOyster ? [0.31, 0.38, 0.31] : [0.25, 0.16, 0.18, 0.16, 0.25];
  const link = (hex: string) => {
    const [first, second, third, fourth, last] = [-0.45, 0.5, 0.12, -0.12, -0.5].map((by) => tone(hex, by));
    return defs.linear(90, `0 ${first}, .16 ${second}, .34 ${third}, .8 ${fourth}, 1 ${last}`);
  };
  const [outer, middle] = [link(metal), link(look.secondMetal.value)];
  const height = isOyster ? 74 : 50;
  return times(Math.ceil((REACH * 2) / height), (row) => {
    let x = -half;
    return times(shares.length, (column) => {
      const width = (shares[column] ?? 0) * half * 2;
      const isOuter = column === 0 || column === shares.length - 1;
      const y = row * height - REACH + (column % 2) * (height / 2);
      x += width;
      return svg`<rect x="${x - width + 1}" y="${y + 1}" width="${width - 2}" height="${height - 2}" rx="${isOuter ? 7 : height * 0.3}" fill="${isOuter ? outer : middle}" ${watch.stroke}/>`;
    });
  });
}

function softStrap(watch: Watch, half: number, d: string): string {
  const { look, defs, edge } = watch;
  const colour = look.strapColour.value;
  const [first, second, third, fourth, last] = [-0.5, 0.06, 0.2, -0.06, -0.55].map((by) => tone(colour, by));
  const round = defs.linear(0, `0 ${first}, .18 ${second}, .42 ${third}, .8 ${fourth}, 1 ${last}`);
  const image = `<image href="${watch.textures.strap}" width="420" height="420"/>`;
  const grain = defs.pattern(420, image, svg`translate(${-half} -90)`);
  const along = (x: number, line: string, width: number, more = '') =>
    stroked(svg`M${x} ${-REACH}V${REACH}`, line, width, more);
  const [thread, x] = [brightness(colour) > 0.55 ? tone(colour, -0.45) : '#e9dfc8', half * 0.82];
  const seams = [-x, x].map(
    (side) => svg`M${side * 0.9} ${-REACH}L${side} ${-edge}M${side} ${edge}L${side * 0.9} ${REACH}`,
  );
  const stitches = stroked(seams.join(''), thread, 4, 'stroke-dasharray="15 8"');
  const base = filled(d, round);
  const grained = filled(d, grain, 'fill-opacity=".7"');
  switch (look.strap) {
    case 'nato': {
      const stripes = [-0.29, 0.29].map((at) => along(half * at, against(look.accent, colour), half * 0.26));
      return base + stripes.join('') + grained;
    }
    case 'rubber':
      return base + [-0.5, 0, 0.5].map((at) => along(at * half, '#000', 12, 'stroke-opacity=".35"')).join('');
    case 'satin':
      return base + stitches;
    default:
      return base + grained + stitches;
  }
}

function lugs(watch: Watch): string {
  const { radius, look, edge } = watch;
  const out = radius * (look.shape === 'tank' ? 0.6 : 0.5);
  const d = svg`M${out - 4} ${edge * 0.6}L${out - 4} ${edge * 1.16}Q${out + 12} ${edge * 1.22} ${out + 32} ${edge * 1.12}L${out + 78} ${edge * 0.6}Z`;
  const lug = (turn: string) => filled(d, watch.metal, `${watch.stroke} transform="scale(${turn})"`);
  return ['1 1', '-1 1', '1 -1', '-1 -1'].map(lug).join('');
}

function crown(watch: Watch): string {
  const { radius, look, stroke, dark } = watch;
  const x = radius * watch.shape.reach(0);
  const metal = look.metal.value;
  const fill = watch.defs.linear(90, `0 ${dark}, .3 ${tone(metal, 0.6)}, .6 ${metal}, 1 ${dark}`);
  const button = (left: number, width: number, height: number, turn = 0) =>
    svg`<rect x="${x + left}" y="${-height / 2}" width="${width}" height="${height}" rx="8" fill="${fill}" ${stroke} transform="rotate(${turn})"/>`;
  const guard = svg`M${x - 30}-74Q${x + 22}-60 ${x + 18}-34H${x - 30}ZM${x - 30} 74Q${x + 22} 60 ${x + 18} 34H${x - 30}Z`;
  const ridges = times(7, (at) => svg`M${x + 4} ${at * 7.75 - 23.25}h28`);
  const isChronograph = look.complication === 'chronograph' || look.complication === 'bicompax';
  return `${isChronograph ? button(-10, 40, 38, -32) + button(-10, 40, 38, 32) : ''}
    ${look.isSport ? filled(guard, watch.metal, stroke) : ''}${button(-14, 50, 62)}${stroked(ridges, '#000', 2, 'stroke-opacity=".4"')}`;
}

function bezel(watch: Watch): string {
  const { look, defs, radius, inner, dark, shape, stroke } = watch;
  const outer = radius * 0.94;
  const [middle, wide] = [(outer + inner) / 2, outer - inner];
  const second = look.secondMetal.value;
  const base = filled(shape.outline(outer), defs.metal(second, 200), stroke);
  switch (look.hasGems ? 'gems' : look.bezel) {
    case 'plain':
      return base;
    case 'step':
      return base + filled(shape.outline(middle), defs.metal(look.metal.value, 235), stroke);
    case 'fluted': {
      const half = (outer * 3.1) / 72;
      const side = (x: number, shade: number) =>
        filled(svg`M${x} ${-outer}L0 ${-inner - 6}V${-outer}Z`, tone(second, shade), 'fill-opacity=".75"');
      return base + around(72, () => side(-half, 0.7) + side(half, -0.55));
    }
    case 'diver':
      return base + diverScale(watch, outer, middle, wide);
    case 'gems': {
      const gem = defs.radial('0 #fff, .45 #e4edf4, .75 #a9bccb, 1 #6d7f8e', 'cx=".38" cy=".32" r=".75"');
      const r = (Math.PI * middle) / 44 / 1.08;
      const table = svg`M${-r / 2} 0L0 ${-r / 2} ${r / 2} 0 0 ${r / 2}Z`;
      const cut =
        disc(0, 0, r, gem, `stroke="${dark}" stroke-width="1.2"`) +
        filled(table, '#fff', 'fill-opacity=".7"');
      const place = (at: number) => shape.point((at * Math.PI) / 22, middle);
      return base + times(44, (at) => `<g transform="translate(${place(at)})">${cut}</g>`);
    }
    case 'screws': {
      const shades = `0 ${tone(second, 0.7)}, 1 ${tone(second, -0.35)}`;
      const head = disc(0, 0, wide * 0.28, defs.radial(shades, 'cx=".4" cy=".35" r=".7"'), stroke);
      const screw = head + stroked(svg`M${-wide * 0.24} 0H${wide * 0.24}`, dark, 5);
      const screws = around(8, (at) => moved(0, -middle * 0.985, screw, `rotate(${at * 47})`));
      return `${base}<g transform="rotate(22.5)">${screws}</g>`;
    }
  }
}

function diverScale(watch: Watch, outer: number, middle: number, wide: number): string {
  const { look, defs, shape } = watch;
  const colour = look.bezelColour;
  const gloss = defs.linear(60, `0 ${tone(colour, 0.3)}, .5 ${colour}, 1 ${tone(colour, -0.4)}`);
  const mark = brightness(colour) > 0.55 ? '#16171a' : '#f0efe8';
  const grip = svg`<rect x="-2" y="${-outer - 1}" width="4" height="9" fill-opacity=".55"/>`;
  const tick = (width: number, length: number) =>
    svg`<rect x="${-width / 2}" y="${10 - outer}" width="${width}" height="${length}" fill="${mark}"/>`;
  const scale = around(60, (at) => {
    if (at % 5 > 0) return tick(3, wide * 0.26);
    if (at % 10 > 0) return tick(8, wide * 0.6);
    return at === 0 ? '' : moved(0, -middle, lettering(`${at}`, wide * 0.5, mark, 0.15));
  });
  const zero = svg`M-19 ${8 - outer}H19L0 ${-watch.inner - 9}Z`;
  return `${around(90, () => grip)}${filled(shape.outline(outer - 5), gloss)}${scale}${filled(zero, '#eef3e2', `stroke="${watch.dark}"`)}`;
}
