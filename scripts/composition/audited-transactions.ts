import { hostname, userInfo } from 'node:os';
import type { Database } from '../../db/core/knex';
import { inTransaction } from '../../db/core/sql';
import type { AuditEntry, AuditedWork, AuditLog, ChangedStores, Deed } from '../../models/ports';

type Knex = Database['knex'];

/** The actions of the user who runs this process, each in one transaction with its entry in the audit log. */
export class AuditedTransactions implements AuditedWork {
  /** @param storesOf the stores over the database, or over a transaction */
  constructor(
    private readonly knex: Knex,
    private readonly storesOf: (knex: Knex) => ChangedStores & { readonly audit: AuditLog },
  ) {}

  run<Result>(
    action: string,
    work: (stores: ChangedStores) => Promise<Deed & { readonly result: Result }>,
  ): Promise<Result> {
    return inTransaction(this.knex, async (transaction) => {
      const stores = this.storesOf(transaction);
      const { result, ...deed } = await work(stores);
      await stores.audit.append(entryOf(action, deed));
      return result;
    });
  }

  async note(action: string, deed: Deed): Promise<void> {
    await this.storesOf(this.knex).audit.append(entryOf(action, deed));
  }
}

/** The entry of an action that this process does. */
export function entryOf(action: string, deed: Deed): AuditEntry {
  return { accountId: null, subject: null, details: {}, ...deed, actor: actor(), action };
}

/** Who runs this process. A user without a name, as in many containers, goes by its number. */
function actor(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}@${hostname()}`;
  }
}
