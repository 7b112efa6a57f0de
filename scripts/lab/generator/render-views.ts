import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { PhotoLevel } from '../../../models/ports';
import { Random } from '../../../models/random';
import type { Limits } from '../../../workers/image/distortion/levels';
import { drawCutout, studioView } from './cutout';
import { FamilyTrees } from './look/lineage';
import type { Look } from './look/look';
import { photoView } from './photo/placement';
import { WORN_STRAP } from './photo/wrist';
import { categoryNumber, lookOfProduct } from './product-look';
import { renderPhoto } from './render-photo';
import { renderProduct } from './render-product';

/** What to write: `views` pictures of each of `items` products of a seed's world, `size` pixels a side. */
export interface ViewSet {
  readonly items: number;
  readonly views: number;
  readonly seed: number;
  readonly out: string;
  readonly size: number;
  /** The number of the first product; lets several processes share a set. */
  readonly first?: number;
  /** One level for all photos; without it they are mixed, 1 to 3. */
  readonly level?: PhotoLevel;
  /** The items alone on nothing, as PNG, from farther round than the photos: to be laid into other pictures. */
  readonly cutouts?: boolean;
}

/**
 * Writes training pictures: `<out>/<kind>-<index>/<view>.jpg`, where view 0 is the catalog picture and the others are
 * photo-like; `.png` for cut-outs. Index is the product's number in a bundle of the same seed.
 */
export async function renderViews(set: ViewSet, onItem: (done: number) => void = () => {}): Promise<void> {
  const trees = new FamilyTrees(set.seed);
  const first = set.first ?? 0;
  for (let index = first; index < first + set.items; index++) {
    const look = lookOfProduct(set.seed, index, trees);
    const folder = join(set.out, `${categoryNumber(index).kind}-${index}`);
    await mkdir(folder, { recursive: true });
    for (let view = 0; view < set.views; view++) {
      if (set.cutouts) await writeFile(join(folder, `${view}.png`), cutout(set, look, index, view));
      else await writeFile(join(folder, `${view}.jpg`), await photo(set, look, index, view));
    }
    onItem(index - first + 1);
  }
}

function photo(set: ViewSet, look: Look, index: number, view: number): Promise<Buffer> {
  if (view === 0) return renderProduct(look, { size: set.size });
  const level = set.level ?? levelOf(set.seed, index, view);
  return renderPhoto(look, { seed: view, level, size: set.size });
}

/** How far the camera goes round a cut-out: farther than the photos do. */
const ROUND: Pick<Limits, 'yaw'> = { yaw: 0.65 };

function cutout({ seed, size }: ViewSet, look: Look, index: number, view: number): Buffer {
  const random = new Random(seed, 'cutout', index, view);
  const seen = view === 0 ? studioView(look) : photoView(look, ROUND, random);
  const strapReach = random.chance(0.3) ? WORN_STRAP : seen.strapReach;
  const whole = look.kind === 'watch' ? random.between(0.46, 0.8) : 0.96;
  return drawCutout(look, { ...seen, strapReach }, size, whole).canvas.toBuffer('image/png');
}

function levelOf(seed: number, index: number, view: number): PhotoLevel {
  return new Random(seed, 'level', index, view).pick([1, 2, 2, 3, 3] as const);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('a whole number, 0 or more');
  return value;
}

function photoLevel(text: string): PhotoLevel {
  if (text === '1' || text === '2' || text === '3') return Number(text) as PhotoLevel;
  throw new InvalidArgumentError('1, 2 or 3');
}

/** `node --import tsx scripts/lab/generator/render-views.ts --items M --views K --seed S --out DIR --size 256` */
async function main(): Promise<void> {
  const program = new Command('render-views')
    .description(
      'Write training views of synthetic products: DIR/<kind>-<index>/<view>.jpg, view 0 the catalog picture.',
    )
    .requiredOption('--items <count>', 'products to draw, bags and watches in turn', wholeNumber)
    .requiredOption('--views <count>', 'pictures of each', wholeNumber)
    .requiredOption('--out <folder>', 'where to write')
    .option('--seed <number>', 'the world to draw from', wholeNumber, 1)
    .option('--size <pixels>', 'side of the pictures', wholeNumber, 256)
    .option('--first <index>', 'number of the first product', wholeNumber, 0)
    .option('--cutouts', 'the items alone, transparent around, from many sides, as PNG')
    .option('--level <1-3>', 'one difficulty for all photos (default: mixed)', photoLevel);
  const options = program.parse().opts<ViewSet>();
  await renderViews(options, (done) => {
    if (done % 100 === 0 || done === options.items)
      process.stderr.write(`${done}/${options.items} products\n`);
  });
}

if (require.main === module) void main();
