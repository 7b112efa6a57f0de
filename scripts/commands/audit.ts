import type { Command } from 'commander';
import type { AuditRecord } from '../../models/ports';
import { withStores } from '../composition/services';
import { asTable, printAnswer } from './output';
import { timeOf } from './time-of';
import { wholeNumber } from './whole-number';

interface LogOptions {
  readonly account?: string;
  readonly since?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

/** `loupe audit log`: who did what and when. */
export function registerAudit(audit: Command): void {
  audit
    .command('log')
    .description('what operators did, newest first')
    .option('--account <account>', 'what concerns this account')
    .option('--since <time>', 'from this day or time on (ISO 8601, UTC unless it says otherwise)', timeOf)
    .option('--limit <entries>', 'entries at most', wholeNumber, 100)
    .option('--json', 'print JSON')
    .action(async ({ account, since, limit, json }: LogOptions) => {
      const filter = { accountId: account ?? null, since: since ?? null, before: null, limit };
      const entries = await withStores(({ audit: log }) => log.list(filter));
      printAnswer(json, entries.map(documentOf), () =>
        asTable(['time', 'who', 'what', 'account', 'subject', 'details'], entries.map(rowOf)),
      );
    });
}

const documentOf = ({ id, at, actor, action, accountId, subject, details }: AuditRecord) => ({
  id,
  at,
  actor,
  action,
  account: accountId,
  subject,
  details,
});

const rowOf = ({ at, actor, action, accountId, subject, details }: AuditRecord): (string | null)[] => [
  at.toISOString(),
  actor,
  action,
  accountId,
  subject,
  Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', '),
];
