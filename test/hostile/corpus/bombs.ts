import type { CorpusLimits, HostileEntry } from './entry';
import { jpegBombs } from './jpeg-bombs';
import { pngBombs } from './png-bombs';
import type { SoundPictures } from './sound-pictures';
import { webpBombs } from './webp-bombs';

/** Few bytes that ask for much memory or time. */
export const bombs = (pictures: SoundPictures, limits: CorpusLimits): HostileEntry[] => [
  ...pngBombs(pictures, limits),
  ...jpegBombs(pictures, limits),
  ...webpBombs(pictures, limits),
];
