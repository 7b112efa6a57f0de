import { inject, injectable } from 'tsyringe';
import { notFound } from '../errors';
import {
  type AccountRepository,
  type AuditedWork,
  type CreditLedger,
  PORTS,
  type TopUp,
  type UsageLine,
} from '../ports';
import type { Account } from './api-key';

/** Who pays: accounts, their credits and what is recorded of their photos, as an operator manages them. */
@injectable()
export class AccountService {
  constructor(
    @inject(PORTS.AccountRepository) private readonly accounts: AccountRepository,
    @inject(PORTS.CreditLedger) private readonly ledger: CreditLedger,
    @inject(PORTS.AuditedWork) private readonly audited: AuditedWork,
  ) {}

  /** @param credits what it starts with; null makes it unlimited */
  create(name: string, credits: number | null): Promise<Account> {
    return this.audited.run('accounts create', async ({ accounts }) => {
      const { id, ...details } = await accounts.createAccount(name, credits);
      return { result: { id, ...details }, accountId: id, subject: id, details };
    });
  }

  list(): Promise<readonly Account[]> {
    return this.accounts.listAccounts();
  }

  /**
   * Adds credits to a limited account, or takes some off.
   *
   * @returns what it has then
   * @throws AppError when the account is unlimited or unknown, or would have too many or too few
   */
  credit(id: string, amount: number, note: string | null): Promise<number> {
    return this.audited.run('accounts credit', async ({ ledger }) => {
      const credits = await ledger.topUp(id, amount, note);
      if (credits === null) {
        throw notFound(`There is no limited account "${id}"; an unlimited one needs no credits.`);
      }
      const details = { amount, credits, ...(note === null ? {} : { note }) };
      return { result: credits, accountId: id, subject: id, details };
    });
  }

  /** All that was added and taken off by hand, oldest first. @throws AppError for an unknown account */
  async history(id: string): Promise<readonly TopUp[]> {
    await requireAccount(this.accounts, id);
    return this.ledger.topUps(id);
  }

  /** What an account was charged, by day and endpoint. @throws AppError for an unknown account */
  async usage(id: string, since: Date | null, until: Date | null): Promise<readonly UsageLine[]> {
    await requireAccount(this.accounts, id);
    return this.ledger.usage(id, since, until);
  }

  /**
   * Has an account's photos kept with its predictions from now on, or no more; then those that were kept are deleted.
   *
   * @throws AppError for an unknown account
   */
  async keepPhotos(id: string, keep: boolean): Promise<void> {
    await this.audited.run('accounts keep-photos', async ({ accounts }) => {
      await requireAccount(accounts, id);
      await accounts.keepPhotos(id, keep);
      return { result: undefined, accountId: id, subject: id, details: { keep } };
    });
  }

  /** Deletes what is recorded of an account's photos; how many records. @throws AppError for an unknown account */
  deletePredictions(id: string): Promise<number> {
    return this.audited.run('predictions delete', async ({ accounts, predictions }) => {
      await requireAccount(accounts, id);
      const deleted = await predictions.deleteOf(id);
      return { result: deleted, accountId: id, subject: id, details: { deleted } };
    });
  }
}

/** @throws AppError for an unknown account */
export async function requireAccount(accounts: AccountRepository, id: string): Promise<void> {
  if (await accounts.account(id)) return;
  throw notFound(`There is no account "${id}"; loupe accounts list shows those that there are.`);
}
