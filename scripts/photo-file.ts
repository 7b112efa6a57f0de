import { constants, type FileHandle, open } from 'node:fs/promises';
import { notFound, unprocessable } from '../models/errors';
import { useAndClose } from '../models/promises';
import { ACCEPTED_FORMATS, sniffPictureFormat } from '../workers/image/picture-format';

const HEAD_BYTES = 1024;

/**
 * Reads a photo: only regular files, links included, that begin as a picture does, never a device or a secret (contract 14.13).
 * @throws AppError that names the file: 404 if it can't be read or is not regular, 422 if it is not a photo or too large
 */
export async function readPhotoFile(path: string, bytesMax: number): Promise<Buffer> {
  // A pipe without a writer would otherwise never open.
  const opening = open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((failure: unknown) => {
    throw notFound(`The file "${path}" cannot be read.`, failure);
  });
  return useAndClose(opening, (file) => readPhoto(path, file, bytesMax));
}

async function readPhoto(path: string, file: FileHandle, bytesMax: number): Promise<Buffer> {
  const found = await file.stat();
  // Files in /proc report a size of 0.
  if (!found.isFile() || found.size === 0) {
    throw notFound(`"${path}" is no regular file, or it is empty; name a file with a photo.`);
  }
  const head = await bytesOf(file, 0, Math.min(HEAD_BYTES, found.size));
  const format = sniffPictureFormat(head);
  if (!ACCEPTED_FORMATS.some((accepted) => accepted === format)) {
    const names = ACCEPTED_FORMATS.join(', ');
    throw unprocessable('image_format', `The file "${path}" is no photo (${names}) and is not read.`);
  }
  if (found.size > bytesMax) {
    throw unprocessable('image_too_large', `The file "${path}" is larger than ${bytesMax} bytes.`);
  }
  return Buffer.concat([head, await bytesOf(file, head.length, found.size - head.length)]);
}

async function bytesOf(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
