import { useState } from 'preact/hooks';
import type { Frame } from './frame';
import { type Given, letGo, mayBePicture, type Photo, photoOf } from './photo';

/** The photos of one item, as they are gathered. */
export interface Photos {
  readonly photos: readonly Photo[];
  /** Why something that was given is not among them; empty when nothing was refused. */
  readonly refused: string;
  readonly full: boolean;
  /** Puts pictures beside those that are kept. Answers all that there are then. */
  readonly add: (given: readonly Given[], kept?: readonly Photo[]) => readonly Photo[];
  readonly remove: (photo: Photo) => void;
  readonly frame: (photo: Photo, frame: Frame | null) => void;
}

/** @param photosMax how many a call may have */
export function usePhotos(photosMax: number): Photos {
  const [photos, setPhotos] = useState<readonly Photo[]>([]);
  const [refused, setRefused] = useState('');
  const put = (next: readonly Photo[], why = '') => {
    for (const photo of photos) if (!next.some(({ id }) => id === photo.id)) letGo(photo);
    setPhotos(next);
    setRefused(why);
    return next;
  };
  return {
    photos,
    refused,
    full: photos.length >= photosMax,
    add: (given, kept = photos) => {
      const pictures = given.filter(mayBePicture);
      const room = photosMax - kept.length;
      const why = [
        sentence(
          given.filter((each) => !mayBePicture(each)),
          'no picture',
        ),
        sentence(pictures.slice(room), `left out: at most ${photosMax} pictures can be sent`),
      ];
      return put([...kept, ...pictures.slice(0, room).map(photoOf)], why.filter(Boolean).join(' '));
    },
    remove: (photo) => put(photos.filter(({ id }) => id !== photo.id)),
    frame: (photo, frame) => put(photos.map((each) => (each.id === photo.id ? { ...each, frame } : each))),
  };
}

const NAMES = new Intl.ListFormat('en');

/** "“a.txt” and “b.txt” are …"; empty when nothing is. */
function sentence(given: readonly Given[], what: string): string {
  if (given.length === 0) return '';
  const names = given.map((each) => `“${typeof each === 'string' ? each : each.name}”`);
  return `${NAMES.format(names)} ${names.length === 1 ? 'is' : 'are'} ${what}.`;
}
