import type { Command } from 'commander';
import { AppError } from '../../models/errors';
import { type EmbeddingRepository, PORTS } from '../../models/ports';
import { withStore } from '../container';
import { printAnswer } from './output';

/** `loupe embeddings status`: how far the live version covers the catalog's images. */
export function registerEmbeddings(program: Command): void {
  const embeddings = program.command('embeddings').description('embeddings of the catalog images');
  embeddings
    .command('status')
    .description('coverage of the live version')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const status = await withStore(async (container) => {
        const repository = container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
        const live = await repository.live();
        if (!live)
          throw new AppError(404, 'not_found', 'No embedding version is live yet; start the service once.');
        return { model: live.model, version: live.id, ...(await repository.coverage(live.id)) };
      });
      printAnswer(
        options.json,
        status,
        () =>
          `${status.model} (version ${status.version}): ${status.done} done, ${status.pending} pending, ${status.failed} failed`,
      );
    });
}
