import type { DialFinish, Surface } from '../../../../workers/image/distortion/relief';
import type { Rgb } from '../../../../workers/image/distortion/rgb';

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
type Clasp = (typeof CLASPS)[number];

/** What a bag is carried by. */
export const HANDLES = ['leather', 'rolled', 'chain', 'woven-chain', 'bamboo'] as const;
type Handle = (typeof HANDLES)[number];

/** What may hang from a bag. */
export const CHARMS = ['none', 'clochette', 'tassel', 'tag', 'twilly', 'pompon'] as const;
type Charm = (typeof CHARMS)[number];

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
type EmblemForm = (typeof EMBLEMS)[number];

/** The mark of a maison: on its clasps, its canvas and its dials. */
export interface Emblem {
  readonly form: EmblemForm;
  readonly points: number;
  readonly turn: number;
}

/** The ground that a maison photographs its catalog on. */
export type Studio = 'white' | 'grey' | 'warm' | 'cool';

/** How a shoulder strap is arranged for the catalog picture: standing, half as high, or laid over the front. */
export type StrapCarry = 'up' | 'low' | 'draped';

/** How a maison signs the front of a bag: in metal foil, pressed into the leather, or not at all. */
export const STAMPS = ['foil', 'blind', 'none'] as const;
export type Stamp = (typeof STAMPS)[number];

/** Everything that the picture of a bag depends on. Lengths are in thousandths of the picture's side, before it is fitted. */
export interface BagLook {
  readonly kind: 'bag';
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
  readonly surface: Surface;
  /** Size of the relief's features, 1 = ordinary. */
  readonly surfaceScale: number;
  readonly surfaceSeed: number;
  readonly pattern: Pattern;
  readonly patternScale: number;
  readonly main: Rgb;
  readonly second: Rgb;
  readonly trim: Rgb;
  readonly lining: Rgb;
  readonly stitch: Rgb;
  readonly metal: Rgb;
  readonly clasp: Clasp;
  readonly claspSize: number;
  readonly handle: Handle;
  readonly handleDrop: number;
  readonly handleWidth: number;
  readonly strap: boolean;
  readonly strapCarry: StrapCarry;
  readonly piping: boolean;
  readonly feet: boolean;
  readonly frontPocket: boolean;
  readonly beltStraps: boolean;
  readonly charm: Charm;
  readonly charmColour: Rgb;
  readonly emblem: Emblem;
  readonly wordmark: string;
  readonly stamp: Stamp;
  readonly studio: Studio;
  /** The yaw of the catalog picture in radians: each maison shoots its bags its own way. */
  readonly studioYaw: number;
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

export const STRAPS = [
  'oyster',
  'jubilee',
  'president',
  'mesh',
  'integrated',
  'leather',
  'alligator',
  'rubber',
  'nato',
  'satin',
] as const;
export type Strap = (typeof STRAPS)[number];

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
