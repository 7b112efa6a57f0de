import type { Command } from '@commander-js/extra-typings';
import { createBackup } from '../composition/backups';
import { pathOf, printAnswer } from './terminal';

export function register(command: Command): void {
  command
    .argument('<file>', 'the file to write; an existing one is replaced once the new one is complete', pathOf)
    .option('--json', 'print JSON')
    .action(async (file, { json }) => {
      const made = await createBackup(file);
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
