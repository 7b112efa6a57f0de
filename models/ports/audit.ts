import type { AccountRepository, CreditLedger } from './access';
import type { EmbeddingRepository } from './indexing';
import type { PredictionRepository, VisionJobStore } from './vision';

/** An action on an installation. Never contains a secret. */
export interface AuditEntry {
  /** `user@host` for a command, `admin` over HTTP. */
  readonly actor: string;
  readonly action: string;
  readonly accountId: string | null;
  /** The object of the action: a key, a model, a file. */
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditRecord extends AuditEntry {
  readonly id: number;
  readonly at: Date;
}

export interface AuditFilter {
  readonly accountId: string | null;
  readonly since: Date | null;
  readonly before: number | null;
  readonly limit: number;
}

/** Who did what and when. Entries are never changed or removed. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>;
}

/** The stores changed by an operator's action, all within one transaction. */
export interface TransactionRepositories {
  readonly accounts: AccountRepository;
  readonly ledger: CreditLedger;
  readonly predictions: PredictionRepository;
  readonly jobs: VisionJobStore;
  readonly embeddings: EmbeddingRepository;
}

/** The audit log's details of an action, besides its author and its name. */
export type AuditDetails = Partial<Omit<AuditEntry, 'actor' | 'action'>>;

/** Actions of an operator, each by the name of its command. */
export interface AuditedTransaction {
  /** Does an action and records it, both or neither. @param work uses the database only through the stores it is given */
  run<Result>(
    action: string,
    work: (stores: TransactionRepositories) => Promise<AuditDetails & { readonly result: Result }>,
  ): Promise<Result>;
  /** Records an action done outside the database, or in more than one transaction. */
  note(action: string, details: AuditDetails): Promise<void>;
}
