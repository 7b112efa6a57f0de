import { useState } from 'preact/hooks';
import type { IdentifyRequest } from '../../../client/schema';
import { type Frame, regionOf } from './frame';

/** A picture to be identified: one at hand, or one at an address. */
export type Photo = {
  readonly id: number;
  readonly name: string;
  /** Address under which this browser can show it. */
  readonly preview: string;
  /** The part of it that is looked at; null: all of it. */
  readonly frame: Frame | null;
} & ({ readonly kind: 'file'; readonly file: Blob } | { readonly kind: 'address' });

/** What is given to be a photo: a file, or an address. */
export type Given = File | string;

/** How a photo is written in a request. */
export type SentPhoto = Pick<IdentifyRequest, 'url' | 'base64' | 'region'>;

let lastId = 0;

/** Preview addresses of files live until they are let go. */
export function photoOf(given: Given): Photo {
  lastId += 1;
  if (typeof given === 'string') {
    return { kind: 'address', id: lastId, name: given, preview: given, frame: null };
  }
  const name = given.name || 'Pasted picture';
  return { kind: 'file', id: lastId, file: given, name, preview: URL.createObjectURL(given), frame: null };
}

export const letGo = (photo: Photo): void => {
  if (photo.kind === 'file') URL.revokeObjectURL(photo.preview);
};

/** A file whose kind the browser does not know may be one; the service tells by its bytes. */
export const mayBePicture = (given: Given): boolean =>
  typeof given === 'string' || given.type === '' || given.type.startsWith('image/');

export const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** What a drop or a paste holds: files, else an address. */
export function givenIn(data: DataTransfer | null): readonly Given[] {
  if (data && data.files.length > 0) return [...data.files];
  const text = (data?.getData('text/uri-list') || data?.getData('text/plain') || '').trim();
  return isAddress(text) ? [text] : [];
}

/** The form in which a photo is sent: its bytes as they are, or its address. */
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

/** Of the longer side; more than the service looks at. */
const PIXELS_MAX = 2048;

/** Photos of few enough bytes to be sent together: as they are, else in smaller copies where this browser can make them. */
export async function fitting(photos: readonly Photo[], bytesMax: number): Promise<readonly Photo[]> {
  return bytesOf(photos) > bytesMax ? Promise.all(photos.map(shrunk)) : photos;
}

export const bytesOf = (photos: readonly Photo[]): number =>
  photos.reduce((sum, photo) => sum + (photo.kind === 'file' ? photo.file.size : 0), 0);

async function shrunk(photo: Photo): Promise<Photo> {
  if (photo.kind === 'address') return photo;
  const picture = await createImageBitmap(photo.file).catch(() => null);
  const scale = picture && PIXELS_MAX / Math.max(picture.width, picture.height);
  if (picture === null || scale === null || scale >= 1) return photo;
  const { width, height } = picture;
  const file = await drawn(picture, { x: 0, y: 0, width, height }, scale);
  return { ...photo, file };
}

/** What is in the frame of a photo, as a picture of its own; all of it where there is no frame. */
export async function framed({ file, frame }: Photo & { readonly kind: 'file' }): Promise<Blob> {
  if (frame === null) return file;
  const picture = await createImageBitmap(file);
  const { x, y, width, height } = regionOf(frame);
  const { width: across, height: down } = picture;
  return drawn(picture, { x: x * across, y: y * down, width: width * across, height: height * down }, 1);
}

/** A part of a picture, in pixels, as a JPEG. */
async function drawn(picture: ImageBitmap, part: DOMRectInit, scale: number): Promise<Blob> {
  const { x = 0, y = 0, width = 0, height = 0 } = part;
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
}

/** The same photo for another list, with a preview of its own. */
export const copyOf = (photo: Photo): Photo =>
  photo.kind === 'file' ? { ...photo, preview: URL.createObjectURL(photo.file) } : photo;

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

/**
 * @param photosMax how many there may be
 * @param first those that there are from the start
 */
export function usePhotos(photosMax: number, first: readonly Photo[] = []): Photos {
  const [photos, setPhotos] = useState(first);
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
