import { useState } from 'preact/hooks';
import type { SentPhoto } from '../service/calls';
import { type Frame, regionOf } from './frame';

export type Photo = {
  readonly id: number;
  readonly name: string;
  /** Address for showing it in this browser. */
  readonly preview: string;
  /** The part of it to look at; null: all of it. */
  readonly frame: Frame | null;
} & ({ readonly kind: 'file'; readonly file: Blob } | { readonly kind: 'address' });

export type Given = File | string;

let lastId = 0;

/** Preview addresses of files live until they are revoked. */
function photoOf(given: Given): Photo {
  lastId += 1;
  if (typeof given === 'string') {
    return { kind: 'address', id: lastId, name: given, preview: given, frame: null };
  }
  const name = given.name || 'Pasted picture';
  return { kind: 'file', id: lastId, file: given, name, preview: URL.createObjectURL(given), frame: null };
}

/** The same photo for another list, with its own preview. */
export const copyOf = (photo: Photo): Photo =>
  photo.kind === 'file' ? { ...photo, preview: URL.createObjectURL(photo.file) } : photo;

/** A file of an unknown type may be a picture; the service decides by its bytes. */
const mayBePicture = (given: Given): boolean =>
  typeof given === 'string' || given.type === '' || given.type.startsWith('image/');

export const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

export function givenIn(data: DataTransfer | null): readonly Given[] {
  if (data && data.files.length > 0) return [...data.files];
  const text = (data?.getData('text/uri-list') || data?.getData('text/plain') || '').trim();
  return isAddress(text) ? [text] : [];
}

export async function sentForm(photo: Photo): Promise<SentPhoto> {
  if (photo.kind === 'address') return formOf(photo, '');
  const dataUri = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(photo.file);
  });
  return formOf(photo, dataUri.slice(dataUri.indexOf(',') + 1));
}

/** The form in which a photo is shown as part of a request: the name of a file stands for its bytes. */
export const shownForm = (photo: Photo, at: number, { length }: readonly Photo[]): SentPhoto =>
  formOf(photo, length === 1 ? 'photo.jpg' : `photo-${at + 1}.jpg`);

const formOf = (photo: Photo, base64: string): SentPhoto => ({
  ...(photo.kind === 'address' ? { url: photo.preview } : { base64 }),
  ...(photo.frame ? { region: regionOf(photo.frame) } : {}),
});

export const readableBytes = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024))} KB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

export const bytesOf = (photos: readonly Photo[]): number =>
  photos.reduce((sum, photo) => sum + (photo.kind === 'file' ? photo.file.size : 0), 0);

/** Of the longer side; more than the service uses. */
const PIXELS_MAX = 2048;

/** A smaller copy of a photo, if it is large and this browser can make one. */
export async function shrink(photo: Photo): Promise<Photo> {
  if (photo.kind === 'address') return photo;
  const picture = await createImageBitmap(photo.file).catch(() => null);
  if (picture === null) return photo;
  const scale = PIXELS_MAX / Math.max(picture.width, picture.height);
  if (scale >= 1) return photo;
  return { ...photo, file: await drawn(picture, { x: 0, y: 0, width: 1, height: 1 }, scale) };
}

/** The framed part of a photo, or all of it, as a separate picture. */
export async function cropToFrame({ file, frame }: Photo & { readonly kind: 'file' }): Promise<Blob> {
  return frame === null ? file : drawn(await createImageBitmap(file), regionOf(frame), 1);
}

/** A part of a picture, in fractions of its sides, as a JPEG. */
function drawn(picture: ImageBitmap, part: Required<SentPhoto>['region'], scale: number): Promise<Blob> {
  const [width, height] = [picture.width * part.width, picture.height * part.height];
  const [x, y] = [picture.width * part.x, picture.height * part.y];
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
}

export type Photos = ReturnType<typeof usePhotos>;

/** The photos of one item, as they are gathered. @param first the initial ones */
export function usePhotos(photosMax: number, first: readonly Photo[] = []) {
  const [photos, setPhotos] = useState(first);
  /** Why an input was refused; empty when nothing was refused. */
  const [refused, setRefused] = useState('');
  const put = (next: readonly Photo[], why = '') => {
    const gone = photos.filter(({ id }) => !next.some((each) => each.id === id));
    for (const photo of gone) if (photo.kind === 'file') URL.revokeObjectURL(photo.preview);
    setPhotos(next);
    setRefused(why);
    return next;
  };
  return {
    photos,
    refused,
    full: photos.length >= photosMax,
    /** Adds pictures to those that are kept. Returns all of them. */
    add: (given: readonly Given[], kept = photos) => {
      const pictures = given.filter(mayBePicture);
      const others = given.filter((each) => !mayBePicture(each));
      const room = photosMax - kept.length;
      const tooMany = sentence(pictures.slice(room), `left out: at most ${photosMax} pictures can be sent`);
      const why = `${sentence(others, 'no picture')} ${tooMany}`.trim();
      return put([...kept, ...pictures.slice(0, room).map(photoOf)], why);
    },
    remove: (photo: Photo) => put(photos.filter(({ id }) => id !== photo.id)),
    frame: ({ id }: Photo, frame: Frame | null) =>
      put(photos.map((each) => (each.id === id ? { ...each, frame } : each))),
  };
}

const NAMES = new Intl.ListFormat('en');

/** "“a.txt” and “b.txt” are …"; empty when nothing is. */
function sentence(given: readonly Given[], what: string): string {
  if (given.length === 0) return '';
  const names = given.map((each) => `“${typeof each === 'string' ? each : each.name}”`);
  return `${NAMES.format(names)} ${names.length === 1 ? 'is' : 'are'} ${what}.`;
}
