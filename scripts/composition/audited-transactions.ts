import { hostname, userInfo } from 'node:os';
import type { Database } from '../../db/core/knex';
import { inTransaction } from '../../db/core/sql';
import type { AuditEntry, AuditedWork, AuditLog, ChangedStores, Deed } from '../../models/ports';

type Knex = Database['knex'];

/** Who acts, and what his entries say beside what was done. */
interface Author {
  readonly actor: string;
  readonly details?: AuditEntry['details'];
}

/** The actions of the user who runs this process, each in one transaction with its entry in the audit log. */
export class AuditedTransactions implements AuditedWork {
  /** @param storesOf the stores over the database, or over a transaction */
  constructor(
    private readonly knex: Knex,
    private readonly storesOf: (knex: Knex) => ChangedStores & { readonly audit: AuditLog },
    private readonly author?: Author,
  ) {}

  /** The same for somebody else's actions. */
  by(author: Author): AuditedWork {
    return new AuditedTransactions(this.knex, this.storesOf, author);
  }

  run<Result>(
    action: string,
    work: (stores: ChangedStores) => Promise<Deed & { readonly result: Result }>,
  ): Promise<Result> {
    return inTransaction(this.knex, async (transaction) => {
      const stores = this.storesOf(transaction);
      const { result, ...deed } = await work(stores);
      await stores.audit.append(entryOf(action, deed, this.author));
      return result;
    });
  }

  async note(action: string, deed: Deed): Promise<void> {
    await this.storesOf(this.knex).audit.append(entryOf(action, deed, this.author));
  }
}

/** The entry of an action, of the user who runs this process unless it says otherwise. */
export function entryOf(action: string, deed: Deed, author: Author = { actor: actor() }): AuditEntry {
  const details = { ...deed.details, ...author.details };
  return { accountId: null, subject: null, ...deed, details, actor: author.actor, action };
}

/** Who runs this process. A user without a name, as in many containers, goes by its number. */
function actor(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}@${hostname()}`;
  }
}
