import type { Command } from '@commander-js/extra-typings';
import { restoreFrom } from '../composition/backups';
import { readConfig } from '../config';
import { contentsOf } from './backup';
import { pathOf, printAnswer } from './terminal';

export function register(command: Command): void {
  command
    .argument('<file>', 'a file written by loupe backup', pathOf)
    .option('--replace', 'delete the data of this installation and replace it')
    .option('--json', 'print JSON')
    .action(async (file, { replace = false, json }) => {
      const config = readConfig();
      const restored = await restoreFrom(config, file, replace);
      if (config.SIGNING_KEYS) {
        process.stderr.write(
          'SIGNING_KEYS is set: links that the keys of the backup signed open only if it has them.\n',
        );
      }
      printAnswer(json, restored, () => `restored as of ${restored.made_at}: ${contentsOf(restored)}`);
    });
}
