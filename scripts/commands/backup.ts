import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { backUpTo, restoreFrom } from '../composition/backups';
import { readConfig } from '../config';
import { printAnswer } from './output';

/** `loupe backup`: everything into one file. */
export function registerBackup(command: Command): void {
  command
    .argument('<file>', 'what to write; a file of this name is replaced when the new one is whole')
    .option('--json', 'print JSON')
    .action(async (file, { json }) => {
      const made = await backUpTo(resolve(file));
      printAnswer(json, made, () =>
        [
          `${made.file}: ${made.bytes} bytes, ${contentsOf(made)}`,
          'It holds secrets: keep it as you keep the database.',
        ].join('\n'),
      );
    });
}

/** `loupe restore`: an installation from a backup. */
export function registerRestore(command: Command): void {
  command
    .argument('<file>', 'what loupe backup wrote')
    .option('--replace', 'in the place of what is in this installation, which is deleted')
    .option('--json', 'print JSON')
    .action(async (file, { replace = false, json }) => {
      const config = readConfig();
      const restored = await restoreFrom(config, resolve(file), replace);
      if (config.SIGNING_KEYS) {
        process.stderr.write(
          'SIGNING_KEYS is set: links that the keys of the backup signed open only if it has them.\n',
        );
      }
      printAnswer(json, restored, () => `restored as of ${restored.made_at}: ${contentsOf(restored)}`);
    });
}

const contentsOf = ({ tables, images, models }: Record<'tables' | 'images' | 'models', number>): string =>
  `${tables} tables, ${images} images, ${models} added models, the signing keys`;
