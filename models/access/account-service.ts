import { inject, injectable } from 'tsyringe';
import { badRequest, idempotencyConflict, notFound } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import type { Account, ApiKey, Caller } from './api-key';

/** `since` is inclusive, `until` exclusive. */
export interface Period {
  readonly since: Date;
  readonly until: Date;
}

/** The account and key that a caller is shown (contract 9.7). */
export interface Statement {
  readonly account: Account;
  readonly key: ApiKey;
  readonly usage: readonly ports.UsageLine[];
}

/** A credit with an idempotency key, and the text of its answer, which is kept together with it. */
export interface CreditOnce {
  readonly idempotencyKey: string;
  readonly chargeId: string;
  readonly answer: (credits: number) => string;
}

@injectable()
export class AccountService {
  constructor(
    @inject(PORTS.AccountRepository) private readonly accounts: ports.AccountRepository,
    @inject(PORTS.CreditLedger) private readonly ledger: ports.CreditLedger,
    @inject(PORTS.AuditedTransaction) private readonly audited: ports.AuditedTransaction,
  ) {}

  /** @param credits its initial credits; null makes it unlimited */
  create(name: string, credits: number | null): Promise<Account> {
    return this.audited.run('accounts create', async ({ accounts }) => {
      const { id, ...details } = await accounts.createAccount(name, credits);
      return { result: { id, ...details }, accountId: id, subject: id, details };
    });
  }

  /** The oldest first. @throws AppError 400 when the page follows an unknown account */
  async list(page?: ports.ListPage): Promise<readonly Account[]> {
    if (page?.after != null && !(await this.accounts.account(page.after))) throw unknownCursor();
    return this.accounts.listAccounts(page);
  }

  /** @throws AppError for an unknown account */
  show(id: string): Promise<Account> {
    return requireAccount(this.accounts, id);
  }

  /** The balance of a caller's account, the rights of its key, and the charges to keys of its kind in a period. */
  async statement({ accountId, keyId, test }: Caller, { since, until }: Period): Promise<Statement> {
    const [account, key, usage] = await Promise.all([
      requireAccount(this.accounts, accountId),
      this.accounts.key(keyId),
      this.ledger.usage(accountId, since, until, test),
    ]);
    if (!key) throw new Error('a key that was admitted is gone');
    return { account, key, usage };
  }

  /** Adds credits, or removes some; returns the balance. @param once of a call with an `Idempotency-Key` @throws AppError as `topUp` */
  credit(id: string, amount: number, note: string | null, once?: CreditOnce): Promise<number> {
    return this.audited.run('accounts credit', async ({ ledger }) => {
      const credits = await ledger.topUp(id, amount, note);
      if (credits === null) {
        throw notFound(`There is no limited account "${id}"; an unlimited one needs no credits.`);
      }
      if (once) {
        const { answer, ...claimed } = once;
        const charge = { ...claimed, accountId: id, keyId: '', endpoint: '', requestId: '' };
        if ((await ledger.settle(charge, 0, answer(credits))) === 'superseded') throw idempotencyConflict();
      }
      const details = { amount, credits, ...(note === null ? {} : { note }) };
      return { result: credits, accountId: id, subject: id, details };
    });
  }

  /** All credits added and removed by hand, oldest first. @throws AppError for an unknown account */
  async history(id: string): Promise<readonly ports.TopUp[]> {
    await requireAccount(this.accounts, id);
    return this.ledger.topUps(id);
  }

  /** @throws AppError for an unknown account */
  async usage(id: string, since: Date | null, until: Date | null): Promise<readonly ports.UsageLine[]> {
    await requireAccount(this.accounts, id);
    return this.ledger.usage(id, since, until);
  }

  /** Turns the storage of an account's photos on, or off and deletes those stored. @throws AppError for an unknown account */
  async keepPhotos(id: string, keep: boolean): Promise<void> {
    await this.audited.run('accounts keep-photos', async ({ accounts }) => {
      await requireAccount(accounts, id);
      await accounts.keepPhotos(id, keep);
      return { result: undefined, accountId: id, subject: id, details: { keep } };
    });
  }

  /** Deletes the predictions and jobs of an account; returns how many predictions. @throws AppError for an unknown account */
  deletePredictions(id: string): Promise<number> {
    return this.audited.run('predictions delete', async ({ accounts, predictions, jobs }) => {
      await requireAccount(accounts, id);
      await jobs.deleteOf(id);
      const deleted = await predictions.deleteOf(id);
      return { result: deleted, accountId: id, subject: id, details: { deleted } };
    });
  }
}

/** 400: a page of a list is requested after an entry that is not in it. */
export const unknownCursor = () =>
  badRequest('cursor: take the next_cursor of the page before.', { field: 'cursor' });

/** @throws AppError for an unknown account */
export async function requireAccount(accounts: ports.AccountRepository, id: string): Promise<Account> {
  const account = await accounts.account(id);
  if (account) return account;
  throw notFound(`There is no account "${id}"; loupe accounts list shows those that there are.`);
}
