import type { Command } from '@commander-js/extra-typings';
import { withStores } from '../composition/services';
import { asTable, printAnswer, subcommand, timeOf, wholeNumber } from './terminal';

/** `loupe search misses`: text queries that found nothing (contract 5.14). */
export function register(search: Command): void {
  subcommand(
    search,
    'misses',
    'queries that found nothing, most frequent first; counted with SEARCH_MISSES=on',
  )
    .option('--since <time>', 'from the day of this time on (ISO 8601, UTC unless it says otherwise)', timeOf)
    .option('--limit <queries>', 'maximum number of queries', wholeNumber, 100)
    .action(async ({ since = null, limit, json }) => {
      const found = await withStores(({ searchMisses }) => searchMisses.mostFrequent(since, limit));
      const rows = found.map(({ query, misses, lastDay }) => [query, misses, lastDay]);
      printAnswer(json, found, () =>
        rows.length === 0 ? 'nothing was counted' : asTable(['query', 'misses', 'last day'], rows),
      );
    });
}
