import type { Owner } from '../access/api-key';
import type { OutgoingMessage, Webhook, WebhookRegistration } from '../webhooks/webhook';
import type { AuditEntry } from './audit';

/** Addresses and the messages for them; a message is written by the code that makes the change it reports. */
export interface WebhookStore {
  /** With its audit log entry; null when its owner already has `max`, even if several are added at once. */
  add(
    webhook: WebhookRegistration &
      Owner & { readonly id: string; readonly keyId: string; readonly secret: string },
    max: number,
    entry: AuditEntry,
  ): Promise<Webhook | null>;
  /** Oldest first; without `test` those of all keys of the account. */
  list(whose: Pick<Owner, 'accountId'> & Partial<Owner>): Promise<readonly Webhook[]>;
  /** With its undelivered messages, and an audit log entry; false when the owner has none with this id. */
  remove(owner: Owner, id: string, entry: AuditEntry): Promise<boolean>;
  /** Tells an account, or all of them (null), that confidence has drifted, at most once in an interval. */
  sendDrift(
    data: { claimed: number; right: number; answers: number },
    accountId: string | null,
    everyMs: number,
  ): Promise<void>;
  /** Takes a due message; its address gets no other for this long. Null when there is none. */
  begin(leaseMs: number): Promise<OutgoingMessage | null>;
  delivered(message: OutgoingMessage): Promise<void>;
  /** Schedules a message for another try, and the others to its address, at these times; drops those that are too old. */
  failed(
    message: OutgoingMessage,
    failure: string,
    again: { readonly message: Date; readonly endpoint: Date; readonly dropBefore: Date },
  ): Promise<void>;
  depth(): Promise<{ waiting: number; failing: number }>;
  disable(endpointId: string): Promise<void>;
}

/** Sends messages to callers' addresses, never to internal ones (contract 16.11). */
export interface WebhookSender {
  /** Whether an address may be registered, as far as can be determined without resolving its name. */
  accepts(url: URL): boolean;
  /** The HTTP status of the answer, which is not followed or read. @throws Error that tells the caller why there was none */
  send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<number>;
}
