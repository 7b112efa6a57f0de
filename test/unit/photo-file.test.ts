import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import sharp from 'sharp';
import { AppError } from '../../models/errors';
import { readPhotoFile } from '../../scripts/photo-file';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.13: of a machine's files only photos are read. */
const folder = temporaryFolder();
const BYTES_MAX = 100_000;
const at = (name: string): string => resolve(folder, name);

beforeAll(async () => {
  await writeFile(at('secret.txt'), 'password');
  await writeFile(at('empty.jpg'), '');
  await writeFile(at('large.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
  await truncate(at('large.jpg'), 2 ** 31);
  await symlink(at('secret.txt'), at('link.jpg'));
  await symlink('/dev/zero', at('zero.jpg'));
  await symlink(at('none'), at('broken.jpg'));
  await mkdir(at('folder.jpg'));
  execFileSync('mkfifo', [at('pipe.jpg')]);
});

test.each(['jpeg', 'png', 'webp'] as const)('a %s is read whole, also behind a link', async (format) => {
  const picture = sharp({ create: { width: 90, height: 70, channels: 3, background: '#a63' } });
  const photo = await picture.toFormat(format).toBuffer();
  await writeFile(at(format), photo);
  await symlink(at(format), at(`${format}.link`));
  expect(await readPhotoFile(at(format), BYTES_MAX)).toEqual(photo);
  expect(await readPhotoFile(at(`${format}.link`), photo.length)).toEqual(photo);
});

test.each([
  ['/dev/zero', 'no regular file'],
  ['/dev/null', 'no regular file'],
  ['/proc/self/environ', 'no regular file, or it is empty'],
  ['zero.jpg', 'no regular file'],
  ['pipe.jpg', 'no regular file'],
  ['folder.jpg', 'no regular file'],
  ['empty.jpg', 'empty'],
  ['broken.jpg', 'cannot be read'],
  ['none.jpg', 'cannot be read'],
  ['nul\0.jpg', 'cannot be read'],
  ['secret.txt', 'is no photo'],
  ['link.jpg', 'is no photo'],
  ['/etc/passwd', 'is no photo'],
  ['large.jpg', 'is larger than 100000 bytes'],
])('%s is not', async (name, reason) => {
  const failure = await readPhotoFile(at(name), BYTES_MAX).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(AppError);
  expect(String(failure)).toContain(reason);
});
