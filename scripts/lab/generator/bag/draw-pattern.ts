import { type SKRSContext2D as Context, createCanvas } from '@napi-rs/canvas';
import { Random } from '../../../../models/random';
import { black, fillBox } from '../brush/light';
import { css, lit, mixed } from '../brush/rgb';
import { layTile } from '../brush/texture';
import type { BagLook, Pattern } from '../look/look';
import { emblemPath } from '../paint/emblem';
import { polished } from '../paint/metal';
import { disc } from '../paint/shapes';
import type { PanelBox } from './easel';

const PATTERNS: Readonly<Record<Pattern, (context: Context, look: BagLook, box: PanelBox) => void>> = {
  plain: () => undefined,
  monogram: drawMonogram,
  web: drawWeb,
  check: drawCheck,
  block: drawBlock,
  studs: drawStuds,
  print: drawPrint,
};

/** The decoration of a front piece, in its own drawing (x right, y down from its centre), under the relief. */
export function drawPattern(context: Context, look: BagLook, box: PanelBox): void {
  PATTERNS[look.pattern](context, look, box);
}

function drawMonogram(context: Context, look: BagLook): void {
  const side = 128;
  const tile = createCanvas(side, side);
  const pen = tile.getContext('2d');
  pen.fillStyle = css(look.second);
  const flower = { form: 'petals', points: 4, turn: 0 } as const;
  for (const [x, y, emblem, radius] of [
    [32, 32, look.emblem, 21],
    [96, 96, look.emblem, 21],
    [96, 32, flower, 13],
    [32, 96, flower, 13],
  ] as const) {
    pen.save();
    pen.translate(x, y);
    pen.fill(emblemPath(emblem, radius), 'evenodd');
    pen.restore();
  }
  layTile(context, tile, 96 * look.patternScale);
}

function drawWeb(context: Context, look: BagLook, box: PanelBox): void {
  const half = box.width * 0.075 * look.patternScale;
  fillBox(context, css(look.second), -half, -box.height, half * 2, box.height * 2);
  fillBox(context, css(look.trim), -half * 0.36, -box.height, half * 0.72, box.height * 2);
}

function drawCheck(context: Context, look: BagLook, box: PanelBox): void {
  const period = 120 * look.patternScale;
  const reach = Math.max(box.width, box.height);
  const bands: readonly (readonly [number, number, string])[] = [
    [0, 0.42, css(look.second, 0.34)],
    [0.1, 0.05, css(look.trim, 0.8)],
    [0.27, 0.05, css(look.trim, 0.8)],
    [0.66, 0.03, css(lit(look.second, 0.7), 0.9)],
  ];
  for (let from = -Math.ceil(reach / period) * period; from < reach; from += period) {
    for (const [start, width, style] of bands) {
      fillBox(context, style, from + start * period, -reach, width * period, reach * 2);
      context.fillRect(-reach, from + start * period, reach * 2, width * period);
    }
  }
}

function drawBlock(context: Context, look: BagLook, box: PanelBox): void {
  const { width, height } = box;
  context.fillStyle = css(look.second);
  const kind = look.emblem.points % 3;
  if (kind === 0) context.fillRect(-width, height * 0.08, width * 2, height);
  else if (kind === 1) {
    context.fillRect(-width, -height, width * 0.66, height * 2);
    context.fillRect(width * 0.34, -height, width, height * 2);
  } else {
    context.beginPath();
    context.moveTo(-width / 2, height / 2);
    context.lineTo(width / 2, -height / 2);
    context.lineTo(width, height);
    context.closePath();
    context.fill();
  }
}

function drawStuds(context: Context, look: BagLook, box: PanelBox): void {
  const gap = 52 * look.patternScale;
  const radius = 7.5;
  const columns = Math.floor(box.width / gap / 2);
  const rows = Math.floor(box.height / gap / 2);
  for (let row = -rows; row <= rows; row++) {
    for (let column = -columns; column <= columns; column++) {
      const x = (column + (row % 2) * 0.5) * gap;
      const y = row * gap;
      context.fillStyle = black(0.35);
      disc(context, x + 2, y + 3, radius);
      const corner = { x: x + radius, y: y + radius };
      context.fillStyle = polished(context, look.metal, { x: x - radius, y: y - radius }, corner);
      disc(context, x, y, radius);
    }
  }
}

/** Flowers and leaves scattered as on a printed scarf: this product's own. */
function drawPrint(context: Context, look: BagLook, box: PanelBox): void {
  const random = new Random(look.seed, 'print');
  const colours = [look.second, look.trim, lit(look.second, 0.45), mixed(look.second, look.trim, 0.5)];
  for (let flower = 0; flower < 26; flower++) {
    context.save();
    context.translate(random.between(-0.55, 0.55) * box.width, random.between(-0.55, 0.55) * box.height);
    context.rotate(random.between(0, Math.PI * 2));
    const radius = random.between(22, 62) * look.patternScale;
    context.fillStyle = css(random.pick(colours));
    context.fill(emblemPath({ form: 'petals', points: random.integer(4, 6), turn: 0 }, radius));
    context.fillStyle = css(random.pick(colours));
    disc(context, 0, 0, radius * 0.3);
    context.restore();
  }
}
