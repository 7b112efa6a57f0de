import { at, Random, shuffledByWeight } from '../../../../models/random';
import { DIAL_FINISHES } from '../brush/relief';
import { DIAL_COLOURS, LEATHER_COLOURS, METALS, type NamedColour, weightOf } from '../vocabulary/colours';
import { maisonName } from '../vocabulary/maison-names';
import { studioOf } from './bag-traits';
import type { WatchLineage } from './lineage';
import {
  BEZELS,
  type CaseShape,
  COMPLICATIONS,
  type Complication,
  DATE_WINDOWS,
  EMBLEMS,
  HAND_STYLES,
  INDEX_STYLES,
  type Strap,
  type WatchLook,
} from './look';
import { shares } from './shares';

/** What all watches of a family share: whether it is for the wrist of a diver or of a diner, and its case's shape. */
export type WatchFamilyTraits = Pick<WatchLook, 'caseShape' | 'aspect' | 'lugs' | 'crown' | 'brushed'> & {
  readonly sport: boolean;
};

/** What all watches of a model share: what they do, and how they tell it. */
export type WatchModelTraits = Pick<
  WatchLook,
  'bezel' | 'bezelWidth' | 'hands' | 'complication' | 'minuteTrack'
>;

/** What all watches of a case share: its metal and size. */
export interface WatchCaseTraits {
  readonly metal: NamedColour;
  readonly secondMetal: NamedColour;
  readonly millimetres: number;
  readonly gemSet: boolean;
}

/** What all watches of a dial share. */
export interface WatchDialTraits
  extends Pick<WatchLook, 'dialFinish' | 'dialScale' | 'indices' | 'dateWindow'> {
  readonly colour: NamedColour;
  readonly bracelets: readonly Strap[];
  readonly softStraps: readonly Strap[];
  readonly strapColours: readonly NamedColour[];
}

/** What all watches of a maison share. */
export type WatchBrandTraits = Pick<WatchLook, 'emblem' | 'wordmark' | 'studio'>;

/** A maison's traits, from its number. */
export function watchBrandTraits(seed: number, brand: number): WatchBrandTraits {
  const random = new Random(seed, 'watch brand', brand);
  const form = at(EMBLEMS, brand * 3 + random.integer(0, 2));
  return {
    emblem: { form, points: random.integer(3, 8), turn: random.between(0, 1) },
    wordmark: maisonName(seed, 'watches', brand).wordmark,
    studio: studioOf(random),
  };
}

/** A family's traits, from its number. */
export function watchFamilyTraits(seed: number, family: number): WatchFamilyTraits {
  const random = new Random(seed, 'family', family);
  const caseShape = random.weighted(
    shares<CaseShape>({ round: 12, cushion: 3, octagon: 3, tonneau: 2, square: 1.5, tank: 2.5 }),
  );
  const sport = caseShape === 'tank' ? false : random.chance(0.55);
  return {
    caseShape,
    sport,
    aspect:
      caseShape === 'tank'
        ? random.between(1.2, 1.4)
        : caseShape === 'tonneau'
          ? random.between(1.15, 1.3)
          : 1,
    lugs:
      caseShape === 'octagon' || (sport && random.chance(0.2))
        ? 'integrated'
        : random.pick(['straight', 'curved', 'curved', 'wire'] as const),
    crown: sport
      ? random.pick(['plain', 'guarded'] as const)
      : random.pick(['plain', 'onion', 'cabochon'] as const),
    brushed: random.chance(sport ? 0.7 : 0.3),
  };
}

/** A model's traits, from its number. */
export function watchModelTraits(seed: number, { model, family }: WatchLineage): WatchModelTraits {
  const random = new Random(seed, 'watch model', model);
  const { sport, caseShape } = watchFamilyTraits(seed, family);
  const round = caseShape === 'round' || caseShape === 'cushion';
  const bezel =
    caseShape === 'octagon'
      ? 'screws'
      : sport && round
        ? random.pick(['diver', 'diver', 'tachymeter', 'plain', 'fluted', 'coin'] as const)
        : random.pick(
            BEZELS.filter((kind) => kind !== 'screws' && kind !== 'diver' && kind !== 'tachymeter'),
          );
  const complication =
    round || caseShape === 'octagon'
      ? random.weighted([...COMPLICATIONS.map((kind) => [kind, kind === 'none' ? 6 : 1.2] as const)])
      : random.weighted(shares<Complication>({ none: 4, 'small-seconds': 2, moonphase: 1 }));
  return {
    bezel,
    bezelWidth:
      bezel === 'diver' || bezel === 'tachymeter' ? random.between(0.19, 0.24) : random.between(0.09, 0.19),
    hands: random.pick(HAND_STYLES),
    complication,
    minuteTrack: random.pick(['ticks', 'ticks', 'railway', 'dots', 'none'] as const),
  };
}

/** A case's traits, from its place: a model's cases differ in metal and size. */
export function watchCaseTraits(seed: number, lineage: WatchLineage): WatchCaseTraits {
  const random = new Random(seed, 'case', lineage.case);
  const metal = at(
    shuffledByWeight(METALS, weightOf, seed, 'case metals', lineage.model),
    lineage.modelOrdinal,
  );
  return {
    metal,
    secondMetal: random.chance(0.22) ? at(METALS, random.integer(0, 3)) : metal,
    millimetres: at([41, 36, 39, 40, 42, 44, 34, 38, 31, 45], lineage.modelOrdinal + random.integer(0, 2)),
    gemSet: random.chance(0.07),
  };
}

/** A dial's traits, from its place: a case's dials differ in colour first. */
export function watchDialTraits(seed: number, lineage: WatchLineage): WatchDialTraits {
  const random = new Random(seed, 'dial', lineage.dial);
  const { lugs, sport } = watchFamilyTraits(seed, lineage.family);
  return {
    colour: at(
      shuffledByWeight(DIAL_COLOURS, weightOf, seed, 'dial colours', lineage.case),
      lineage.caseOrdinal,
    ),
    dialFinish: random.weighted(
      DIAL_FINISHES.map(
        (finish) => [finish, finish === 'sunburst' ? 5 : finish === 'plain' ? 4 : 1] as const,
      ),
    ),
    dialScale: random.between(0.8, 1.25),
    indices: random.pick(INDEX_STYLES),
    dateWindow: random.weighted(
      DATE_WINDOWS.map((window) => [window, window === 'none' ? 5 : window === 'three' ? 4 : 1] as const),
    ),
    ...strapsFor(lugs === 'integrated', sport, random),
    strapColours: shuffledByWeight(LEATHER_COLOURS, weightOf, seed, 'strap colours', lineage.dial),
  };
}

function strapsFor(
  integrated: boolean,
  sport: boolean,
  random: Random,
): Pick<WatchDialTraits, 'bracelets' | 'softStraps'> {
  if (integrated) return { bracelets: ['integrated'], softStraps: ['rubber', 'alligator'] };
  const bracelets = [random.pick(['oyster', 'jubilee', 'president', 'mesh'] as const)];
  return { bracelets, softStraps: sport ? ['rubber', 'leather', 'nato'] : ['alligator', 'leather', 'satin'] };
}
