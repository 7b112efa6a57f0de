import type { AccountRepository, CreditLedger } from './access';
import type { EmbeddingRepository } from './indexing';
import type { VisionJobStore } from './jobs';
import type { PredictionRepository } from './vision';

/** What somebody did to an installation. Never holds a secret. */
export interface AuditEntry {
  /** `user@host` for a command, `admin` over HTTP. */
  readonly actor: string;
  /** The name of its command, such as `keys revoke`. */
  readonly action: string;
  /** The account that it concerns; null for what concerns all. */
  readonly accountId: string | null;
  /** What it was done to: a key, a model, a file. */
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditRecord extends AuditEntry {
  readonly id: number;
  readonly at: Date;
}

/** Null: any. */
export interface AuditFilter {
  readonly accountId: string | null;
  readonly since: Date | null;
  /** Id of an entry; those that are older. */
  readonly before: number | null;
  readonly limit: number;
}

/** Who did what and when. Entries are never changed or removed. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>;
}

/** The stores that an operator's action changes, all within one transaction. */
export interface TransactionRepositories {
  readonly accounts: AccountRepository;
  readonly ledger: CreditLedger;
  readonly predictions: PredictionRepository;
  readonly jobs: VisionJobStore;
  readonly embeddings: EmbeddingRepository;
}

/** What the audit log says of an action, beside who did it and its name. */
export type AuditDetails = Partial<Omit<AuditEntry, 'actor' | 'action'>>;

/** Actions of an operator, each by the name of its command. */
export interface AuditedTransaction {
  /** Does an action and notes it, both or neither. @param work uses nothing of the database but the stores that it is given */
  run<Result>(
    action: string,
    work: (stores: TransactionRepositories) => Promise<AuditDetails & { readonly result: Result }>,
  ): Promise<Result>;
  /** Notes an action that was done outside of the database, or in more than one transaction. */
  note(action: string, details: AuditDetails): Promise<void>;
}
