import { type Rgb, rgb } from '../brush/rgb';
import colours from './colours.json';

/** A named colour as a maison lists it; `slug` is the end of its entity id. */
export interface NamedColour {
  readonly slug: string;
  readonly name: string;
  readonly value: Rgb;
  /** How often it is seen, 1 = seldom. */
  readonly weight: number;
}

/** How often a colour is seen, for drawing it. */
export const weightOf = ({ weight }: NamedColour): number => weight;

const named = (rows: readonly { slug: string; name: string; value: string; weight?: number | undefined }[]) =>
  rows.map(({ slug, name, value, weight = 1 }): NamedColour => ({ slug, name, value: rgb(value), weight }));

/** The colours of leathers and cloths. */
export const LEATHER_COLOURS = named(colours.leather);

/** The colours of dials. */
export const DIAL_COLOURS = named(colours.dial);

/** The metals of hardware and cases. */
export const METALS = named(colours.metal);
