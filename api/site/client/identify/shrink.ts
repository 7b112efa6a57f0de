import type { Photo } from './photo';

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
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return { ...photo, file: await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 }) };
}
