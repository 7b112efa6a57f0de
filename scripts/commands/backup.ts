import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { createBackup } from '../composition/backups';
import { printAnswer } from './terminal';

export function register(command: Command): void {
  command
    .argument('<file>', 'the file to write; an existing one is replaced once the new one is complete')
    .option('--json', 'print JSON')
    .action(async (file, { json }) => {
      const made = await createBackup(resolve(file));
      printAnswer(json, made, () =>
        [
          `${made.file}: ${made.bytes} bytes, ${contentsOf(made)}`,
          'It holds secrets: keep it as you keep the database.',
        ].join('\n'),
      );
    });
}

export const contentsOf = ({
  tables,
  images,
  models,
}: Record<'tables' | 'images' | 'models', number>): string =>
  `${tables} tables, ${images} images, ${models} added models, the signing keys`;
