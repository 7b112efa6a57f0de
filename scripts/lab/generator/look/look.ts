import type { DialFinish, Surface } from '../brush/relief';
import type { Rgb } from '../brush/rgb';

/** The cuts of a bag (`bag/`), one drawing each. */
export const BAG_SHAPES = [
  'tote',
  'flap',
  'hobo',
  'bucket',
  'satchel',
  'clutch',
  'top-handle',
  'backpack',
  'bowling',
  'camera',
  'saddle',
] as const;
export type BagShape = (typeof BAG_SHAPES)[number];

/** The fasteners on a bag's front. */
export const CLASPS = ['turn-lock', 'push-lock', 'emblem', 'ring', 'bar', 'padlock', 'knot', 'none'] as const;

/** What may hang from a bag. */
export const CHARMS = ['none', 'clochette', 'tassel', 'tag', 'twilly', 'pompon'] as const;

/** How a bag's front is decorated. */
export type Pattern = 'plain' | 'monogram' | 'web' | 'check' | 'block' | 'studs' | 'print';

/** The forms a maison's emblem takes. */
export const EMBLEMS = [
  'rings',
  'lozenge',
  'star',
  'petals',
  'crescent',
  'cross',
  'hexagon',
  'arch',
  'arrow',
  'shield',
] as const;

/** The mark of a maison: on its clasps, its canvas and its dials. */
export interface Emblem {
  readonly form: (typeof EMBLEMS)[number];
  readonly points: number;
  readonly turn: number;
}

/** The ground that a maison photographs its catalog on. */
export type Studio = 'white' | 'grey' | 'warm' | 'cool';

/** How a maison signs the front of a bag: in metal foil, pressed into the leather, or not at all. */
export const STAMPS = ['foil', 'blind', 'none'] as const;

/** What all bags of a maison share. */
export interface BagBrandTraits {
  readonly emblem: Emblem;
  readonly wordmark: string;
  readonly stamp: (typeof STAMPS)[number];
  readonly studio: Studio;
  /** The yaw of the catalog picture in radians: each maison shoots its bags its own way. */
  readonly studioYaw: number;
}

/** What all bags of a model share: its cut. Lengths are in thousandths of the picture's side, before it is fitted. */
export interface BagModelTraits {
  readonly shape: BagShape;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** Width at the top over width at the base. */
  readonly flare: number;
  /** Corner radius over height. */
  readonly roundness: number;
  /** How far a flap comes down, 0 to 1. */
  readonly flapShare: number;
  readonly clasp: (typeof CLASPS)[number];
  readonly claspSize: number;
  readonly handle: 'leather' | 'rolled' | 'chain' | 'woven-chain' | 'bamboo';
  readonly handleDrop: number;
  readonly handleWidth: number;
  readonly strap: boolean;
  /** How a shoulder strap is arranged for the catalog picture: standing, half as high, or laid over the front. */
  readonly strapCarry: 'up' | 'low' | 'draped';
  readonly feet: boolean;
  readonly frontPocket: boolean;
  readonly beltStraps: boolean;
}

/** What all bags of a style are made of. */
export interface BagLeather {
  readonly surface: Surface;
  /** Size of the relief's features, 1 = ordinary. */
  readonly surfaceScale: number;
  readonly surfaceSeed: number;
  readonly pattern: Pattern;
  readonly patternScale: number;
  readonly piping: boolean;
}

/** Everything that the picture of a bag depends on. */
export interface BagLook extends BagBrandTraits, BagModelTraits, BagLeather {
  readonly kind: 'bag';
  readonly main: Rgb;
  readonly second: Rgb;
  readonly trim: Rgb;
  readonly lining: Rgb;
  readonly stitch: Rgb;
  readonly metal: Rgb;
  readonly charm: (typeof CHARMS)[number];
  readonly charmColour: Rgb;
  readonly seed: number;
}

export type CaseShape = 'round' | 'tonneau' | 'square' | 'tank' | 'cushion' | 'octagon';

export const BEZELS = ['plain', 'step', 'fluted', 'diver', 'tachymeter', 'gems', 'coin', 'screws'] as const;
export type Bezel = (typeof BEZELS)[number];

export const INDEX_STYLES = ['batons', 'roman', 'arabic', 'dots', 'gems', 'wedges', 'mixed'] as const;
export type IndexStyle = (typeof INDEX_STYLES)[number];

export const HAND_STYLES = ['baton', 'dauphine', 'sword', 'leaf', 'breguet', 'mercedes', 'arrow'] as const;
export type HandStyle = (typeof HAND_STYLES)[number];

export const COMPLICATIONS = [
  'none',
  'small-seconds',
  'chronograph',
  'bicompax',
  'moonphase',
  'gmt',
  'power-reserve',
  'calendar',
] as const;
export type Complication = (typeof COMPLICATIONS)[number];

const BRACELETS = ['oyster', 'jubilee', 'president', 'mesh', 'integrated'] as const;
export const STRAPS = [...BRACELETS, 'leather', 'alligator', 'rubber', 'nato', 'satin'] as const;
export type Strap = (typeof STRAPS)[number];

/** A bracelet is of the case's metal; other straps have a colour. */
export const isBracelet = (strap: Strap): boolean => BRACELETS.some((each) => each === strap);

export const DATE_WINDOWS = ['none', 'three', 'half-past-four', 'six', 'day-date'] as const;
export type DateWindow = (typeof DATE_WINDOWS)[number];

/** Everything that the picture of a watch depends on. Lengths are in thousandths of the picture's side, before it is fitted. */
export interface WatchLook {
  readonly kind: 'watch';
  readonly caseShape: CaseShape;
  /** Radius of the case (half its width). */
  readonly radius: number;
  /** Height of the case over its width. */
  readonly aspect: number;
  readonly lugs: 'straight' | 'curved' | 'wire' | 'integrated';
  readonly metal: Rgb;
  readonly secondMetal: Rgb;
  readonly brushed: boolean;
  readonly bezel: Bezel;
  readonly bezelWidth: number;
  readonly bezelColour: Rgb;
  readonly dialColour: Rgb;
  readonly dialFinish: DialFinish;
  readonly dialScale: number;
  readonly indices: IndexStyle;
  readonly indexColour: Rgb;
  readonly lume: Rgb;
  readonly hands: HandStyle;
  readonly handColour: Rgb;
  readonly accent: Rgb;
  readonly complication: Complication;
  readonly subdialColour: Rgb;
  readonly dateWindow: DateWindow;
  readonly minuteTrack: 'none' | 'ticks' | 'railway' | 'dots';
  readonly crown: 'plain' | 'onion' | 'guarded' | 'cabochon';
  readonly strap: Strap;
  readonly strapColour: Rgb;
  readonly strapStitch: Rgb;
  readonly strapWidth: number;
  readonly strapTaper: number;
  readonly emblem: Emblem;
  readonly wordmark: string;
  readonly studio: Studio;
  /** The time the catalog picture shows, in minutes: near ten past ten, as each maison likes it. */
  readonly minutes: number;
  readonly seed: number;
}

/** What a picture of a product is drawn from: its attributes made visible, plus what is this product's alone. */
export type Look = BagLook | WatchLook;
