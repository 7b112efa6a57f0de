import type { Owner } from '../access/api-key';
import type { OutgoingMessage, Webhook, WebhookRegistration } from '../webhooks/webhook';
import type { AuditEntry } from './audit';

/** Addresses and the messages that they are to get; a message is written by anyone who changes what it tells. */
export interface WebhookStore {
  /** With its entry in the audit log; null when its owner has `max` already, however many are added at once. */
  add(
    webhook: WebhookRegistration &
      Owner & { readonly id: string; readonly keyId: string; readonly secret: string },
    max: number,
    entry: AuditEntry,
  ): Promise<Webhook | null>;
  /** Oldest first; without `test` those of all keys of the account. */
  list(whose: Pick<Owner, 'accountId'> & Partial<Owner>): Promise<readonly Webhook[]>;
  /** With what it was still to be told, and an entry in the audit log; false when the owner has none of this id. */
  remove(owner: Owner, id: string, entry: AuditEntry): Promise<boolean>;
  /** Tells an account, or all of them (null), that confidence has drifted, at most once in an interval. */
  tellOfDrift(
    data: { claimed: number; right: number; answers: number },
    accountId: string | null,
    everyMs: number,
  ): Promise<void>;
  /** Takes a message whose time has come; its address gets no other for so long. Null when there is none. */
  begin(leaseMs: number): Promise<OutgoingMessage | null>;
  delivered(message: OutgoingMessage): Promise<void>;
  /** Has a message sent again, and any other to its address, once these times have come; drops those that are too old. */
  failed(
    message: OutgoingMessage,
    failure: string,
    again: { readonly message: Date; readonly endpoint: Date; readonly dropBefore: Date },
  ): Promise<void>;
  /** Messages that are still to be delivered, and addresses whose last try failed. */
  depth(): Promise<{ waiting: number; failing: number }>;
  /** Tells an address nothing any more. */
  disable(endpointId: string): Promise<void>;
}

/** Sends messages to callers' addresses, never inside (contract 16.11). */
export interface WebhookSender {
  /** Whether an address may be registered, as far as can be told without asking for its name. */
  accepts(url: URL): boolean;
  /** The HTTP status of the answer, which is not followed or read. @throws Error that says, for the caller, why there was none */
  send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<number>;
}
