import type { Command } from 'commander';
import { withStores } from '../composition/services';
import { asTable, printAnswer } from './output';
import { timeOf } from './time-of';
import { wholeNumber } from './whole-number';

interface MissesOptions {
  readonly since?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

/** `loupe search misses`: what people look for that the catalog does not have, or calls otherwise (contract 5.14). */
export function registerSearch(search: Command): void {
  search
    .command('misses')
    .description('queries that found nothing, most frequent first; counted with SEARCH_MISSES=on')
    .option('--since <time>', 'from the day of this time on (ISO 8601, UTC unless it says otherwise)', timeOf)
    .option('--limit <queries>', 'queries at most', wholeNumber, 100)
    .option('--json', 'print JSON')
    .action(async ({ since, limit, json }: MissesOptions) => {
      const misses = await withStores(({ searchMisses }) => searchMisses.mostFrequent(since ?? null, limit));
      printAnswer(json, misses, () =>
        misses.length === 0
          ? 'nothing was counted'
          : asTable(
              ['query', 'misses', 'last day'],
              misses.map(({ query, misses: count, lastDay }) => [query, count, lastDay]),
            ),
      );
    });
}
