import { hostname, userInfo } from 'node:os';
import type { Database } from '../../db/core/knex';
import { inTransaction } from '../../db/core/sql';
import type * as ports from '../../models/ports';

type Knex = Database['knex'];

interface Author {
  readonly actor: string;
  readonly details?: ports.AuditEntry['details'];
}

/** Runs actions of the user of this process, each in one transaction with its entry in the audit log. */
export class AuditedTransactions implements ports.AuditedTransaction {
  /** @param storesOf the stores over the database, or over a transaction */
  constructor(
    private readonly knex: Knex,
    private readonly storesOf: (
      knex: Knex,
    ) => ports.TransactionRepositories & { readonly audit: ports.AuditLog },
    private readonly author?: Author,
  ) {}

  by(author: Author): ports.AuditedTransaction {
    return new AuditedTransactions(this.knex, this.storesOf, author);
  }

  run<Result>(
    action: string,
    work: (
      stores: ports.TransactionRepositories,
    ) => Promise<ports.AuditDetails & { readonly result: Result }>,
  ): Promise<Result> {
    return inTransaction(this.knex, async (transaction) => {
      const stores = this.storesOf(transaction);
      const { result, ...details } = await work(stores);
      await stores.audit.append(entryOf(action, details, this.author));
      return result;
    });
  }

  async note(action: string, details: ports.AuditDetails): Promise<void> {
    await this.storesOf(this.knex).audit.append(entryOf(action, details, this.author));
  }
}

/** The entry of an action, of the user who runs this process unless it says otherwise. */
export function entryOf(action: string, entry: ports.AuditDetails, author: Author = { actor: actor() }) {
  const details = { ...entry.details, ...author.details };
  return { accountId: null, subject: null, ...entry, details, actor: author.actor, action };
}

/** Who runs this process. A user without a name, as in many containers, is named by number. */
function actor(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}@${hostname()}`;
  }
}
