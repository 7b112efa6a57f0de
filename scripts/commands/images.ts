import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { BucketLocation } from '../../db/files/s3-image-store';
import { moveImagesTo } from '../composition/image-stores';
import { withStores } from '../composition/services';
import { bucketLocation } from '../composition/setting-types';
import { withProgress } from '../composition/terminal-progress';
import { readCommandConfig } from '../config';
import { printAnswer, subcommand } from './terminal';

export function register(images: Command): void {
  subcommand(
    images,
    'move',
    'copy the stored images to a bucket while the service runs; run it again to continue',
  )
    .requiredOption('--to <s3://bucket/prefix>', 'reached as the AWS_… settings say', bucket)
    .action(async ({ to, json }) => {
      const moved = await withProgress(process.stderr, (progress) =>
        moveImagesTo(readCommandConfig(), to, progress),
      );
      const subject = `s3://${to.bucket}${to.prefix && `/${to.prefix}`}`;
      const { copied, bytes, present, damaged } = moved;
      const details = { copied, bytes, present, damaged: damaged.length };
      await withStores(({ audited }) => audited.note('images move', { subject, details }));
      if (damaged.length > 0) process.exitCode = 1;
      printAnswer(json, moved, () =>
        [
          `${copied} images (${bytes} bytes) were copied to ${subject}; ${present} were there.`,
          ...damaged.map((address) => `${address} is damaged, and was not copied: import its picture again.`),
          `Next: start every process with IMAGE_STORE=${subject}, then run this again for what came meanwhile.`,
        ].join('\n'),
      );
    });
}

function bucket(text: string): BucketLocation {
  const { data, error } = bucketLocation().safeParse(text);
  if (data) return data;
  throw new InvalidArgumentError(`It ${error.issues.map(({ message }) => message).join()}.`);
}
