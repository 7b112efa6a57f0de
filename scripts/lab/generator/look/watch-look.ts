import { at, hash, Random } from '../../../../models/random';
import { brightness, lit, mixed, type Rgb } from '../brush/rgb';
import { DIAL_COLOURS, type NamedColour } from '../vocabulary/colours';
import type { WatchLineage } from './lineage';
import type { Strap, WatchLook } from './look';
import {
  type WatchDialTraits,
  watchBrandTraits,
  watchCaseTraits,
  watchDialTraits,
  watchFamilyTraits,
  watchModelTraits,
} from './watch-traits';

/** A strap, and its colour; a bracelet is of the case's metal whatever the colour says. */
export interface StrapChoice {
  readonly strap: Strap;
  readonly colour: NamedColour;
}

/** The strap of a watch: the bracelets first, then each soft strap in one colour after the other, none twice. */
export function watchStrap(
  { bracelets, softStraps, strapColours }: WatchDialTraits,
  ordinal: number,
): StrapChoice {
  const bracelet = bracelets[ordinal];
  if (bracelet !== undefined) return { strap: bracelet, colour: at(strapColours, 0) };
  const number = ordinal - bracelets.length;
  const kind = number % softStraps.length;
  return {
    strap: at(softStraps, kind),
    colour: at(strapColours, Math.floor(number / softStraps.length) + kind * 5),
  };
}

/** The whole look of a watch: family, model, case and dial made visible, with its own strap and details. */
export function watchLook(seed: number, lineage: WatchLineage): WatchLook {
  const random = new Random(seed, 'watch', lineage.product);
  const { sport: _, ...family } = watchFamilyTraits(seed, lineage.family);
  const model = watchModelTraits(seed, lineage);
  const { metal, secondMetal, millimetres, gemSet } = watchCaseTraits(seed, lineage);
  const traits = watchDialTraits(seed, lineage);
  const { dialFinish, dialScale, indices, dateWindow } = traits;
  const dial = traits.colour.value;
  const strap = watchStrap(traits, lineage.dialOrdinal);
  const printed = new Random(seed, 'dial print', lineage.dial);
  const ink = inkOn(dial, metal.value, printed);
  const radius = 150 + (millimetres - 31) * 4.2;
  return {
    kind: 'watch',
    ...family,
    ...model,
    dialFinish,
    dialScale,
    indices,
    dateWindow,
    bezel: gemSet ? 'gems' : model.bezel,
    radius,
    metal: metal.value,
    secondMetal: secondMetal.value,
    bezelColour: random.weighted<Rgb>([
      [[20, 21, 24], 4],
      [lit(dial, -0.2), 4],
      [random.pick(DIAL_COLOURS).value, 2],
    ]),
    dialColour: dial,
    indexColour: ink,
    lume: printed.weighted<Rgb>([
      [[240, 243, 236], 5],
      [[226, 205, 160], 2],
      [[176, 222, 196], 1],
    ]),
    handColour: printed.chance(0.3) ? metal.value : ink,
    accent: random.pick([metal.value, ink, [200, 40, 36], [226, 120, 34], [36, 92, 190]] as const),
    subdialColour: subdialOn(dial, printed),
    strap: strap.strap,
    strapColour: strap.colour.value,
    strapStitch: random.chance(0.5)
      ? [232, 226, 212]
      : mixed(strap.colour.value, brightness(strap.colour.value) > 0.5 ? [0, 0, 0] : [255, 255, 255], 0.35),
    strapWidth: radius * (family.lugs === 'integrated' ? 1.16 : random.between(0.96, 1.08)),
    strapTaper: random.between(0.06, 0.26),
    ...watchBrandTraits(seed, lineage.brand),
    minutes: 608 + random.integer(-4, 8),
    seed: hash(seed, 'watch item', lineage.product),
  };
}

function subdialOn(dial: Rgb, random: Random): Rgb {
  if (random.chance(0.55)) return lit(dial, -0.08);
  return lit(dial, brightness(dial) > 0.5 ? -0.72 : 0.72);
}

/** Marks have to be read against the dial. */
function inkOn(dial: Rgb, metal: Rgb, random: Random): Rgb {
  const dark = brightness(dial) < 0.5;
  if (Math.abs(brightness(metal) - brightness(dial)) > 0.3 && random.chance(0.55)) return metal;
  return dark
    ? [236, 236, 230]
    : random.pick([
        [26, 27, 32],
        [30, 42, 96],
        [70, 50, 36],
      ] as const);
}
