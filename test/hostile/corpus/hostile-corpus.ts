import { base64Forms } from './base64-forms';
import { bodies } from './bodies';
import { bombs } from './bombs';
import { colourForms } from './colours';
import { flips, truncations } from './damage';
import { dimensions } from './dimensions';
import type { CorpusLimits, HostileEntry } from './entry';
import { otherFormats, polyglots } from './formats';
import { metadata } from './metadata';
import { oddPictures } from './oddities';
import { soundPictures } from './sound-pictures';

const PATHS = ['/v3/vision/identify', '/v2/vision', '/api/v3/vision/identify'] as const;

/** An entry with the endpoint that it is sent to. */
export type AddressedEntry = HostileEntry & { readonly path: string };

/** The whole corpus: the same seed and limits give the same bytes in the same order. */
export async function hostileCorpus(seed: number, limits: CorpusLimits): Promise<AddressedEntry[]> {
  const pictures = await soundPictures(seed);
  const entries = [
    ...truncations(pictures),
    ...flips(pictures, seed),
    ...bombs(pictures, limits),
    ...dimensions(pictures, limits),
    ...colourForms(pictures),
    ...metadata(pictures),
    ...oddPictures(pictures),
    ...polyglots(pictures),
    ...otherFormats(),
    ...base64Forms(pictures, limits),
    ...bodies(pictures, limits),
  ];
  return entries.map((entry, index) => ({ path: PATHS[index % PATHS.length] ?? PATHS[0], ...entry }));
}
