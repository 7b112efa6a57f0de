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
