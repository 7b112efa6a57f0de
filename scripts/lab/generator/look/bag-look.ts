import { at, hash, Random } from '../../../../models/random';
import { brightness, lit, mixed, type Rgb } from '../brush/rgb';
import { LEATHER_COLOURS, type NamedColour } from '../vocabulary/colours';
import { type BagStyleTraits, bagBrandTraits, bagModelTraits, bagStyleTraits } from './bag-traits';
import type { BagLineage } from './lineage';
import { type BagLook, CHARMS, type Pattern } from './look';

/** The attributes of one bag that a buyer would name, each also an entity of the catalog. */
export interface BagChoice {
  readonly colour: NamedColour;
  readonly second: NamedColour;
  readonly metal: NamedColour;
}

/** The colours and metal of a bag: each ordinal within a style has its own combination. */
export function bagChoice(traits: BagStyleTraits, ordinal: number): BagChoice {
  const round = Math.floor(ordinal / traits.colours.length);
  return {
    colour: at(traits.colours, ordinal),
    second: at(traits.colours, ordinal + 3 + round * 2),
    metal: at(traits.metals, (ordinal % traits.colours.length) + round),
  };
}

/** The whole look of a bag: its maison's emblem, its model's cut, its style's leather, and its own colours and fittings. */
export function bagLook(seed: number, lineage: BagLineage): BagLook {
  const style = bagStyleTraits(seed, lineage.style);
  const { colours: _colours, metals: _metals, ...leather } = style;
  const choice = bagChoice(style, lineage.styleOrdinal);
  const random = new Random(seed, 'bag', lineage.product);
  const main = choice.colour.value;
  const model = bagModelTraits(seed, lineage);
  const stretch = random.between(0.94, 1.07);
  return {
    kind: 'bag',
    ...model,
    width: model.width * stretch,
    ...bagBrandTraits(seed, lineage.brand),
    ...leather,
    main,
    second: contrasting(choice.second.value, main),
    trim: trimOf(main, style.pattern, random),
    lining: mixed(random.pick(LEATHER_COLOURS).value, [120, 90, 70], 0.4),
    stitch: random.chance(0.35) ? [232, 222, 200] : lit(main, brightness(main) > 0.5 ? -0.3 : 0.22),
    metal: choice.metal.value,
    charm: random.chance(0.5) ? 'none' : random.pick(CHARMS),
    charmColour: random.pick(LEATHER_COLOURS).value,
    seed: hash(seed, 'bag item', lineage.product),
  };
}

/** Trim is the bag's own leather, a shade of it, or the tan of vegetable-tanned hide. */
function trimOf(main: Rgb, pattern: Pattern, random: Random): Rgb {
  const tan: Rgb = [176, 122, 70];
  return random.weighted<Rgb>([
    [main, pattern === 'plain' ? 6 : 1],
    [lit(main, -0.35), 3],
    [tan, pattern === 'plain' ? 1.5 : 4],
    [[28, 26, 28], 1.5],
  ]);
}

function contrasting(colour: Rgb, against: Rgb): Rgb {
  const apart = Math.abs(brightness(colour) - brightness(against));
  if (apart > 0.18) return colour;
  return brightness(against) > 0.5 ? lit(colour, -0.45) : lit(colour, 0.5);
}
