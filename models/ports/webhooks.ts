import type { Owner } from '../access/api-key';
import type { OutgoingMessage, Webhook, WebhookRegistration } from '../webhooks/webhook';
import type { AuditEntry } from './audit';

export type NewWebhook = WebhookRegistration &
  Owner & { readonly id: string; readonly keyId: string; readonly secret: string };

/** When the message may be tried again, and the others to its address; older ones than `dropBefore` are dropped. */
export interface NextTry {
  readonly message: Date;
  readonly endpoint: Date;
  readonly dropBefore: Date;
}

export type DriftFigures = Readonly<Record<'claimed' | 'right' | 'answers', number>>;

/** An account's keys, or only its live or test keys. */
export type KeysOf = Pick<Owner, 'accountId'> & Partial<Owner>;

/** Addresses and the messages for them; a message is written by the code that makes the change it reports. */
export interface WebhookStore {
  /** With its audit log entry; null when its owner already has `max`, even if several are added at once. */
  add(webhook: NewWebhook, max: number, entry: AuditEntry): Promise<Webhook | null>;
  /** Oldest first. */
  list(whose: KeysOf): Promise<readonly Webhook[]>;
  /** With its undelivered messages, and an audit log entry; false when the owner has none with this id. */
  remove(owner: Owner, id: string, entry: AuditEntry): Promise<boolean>;
  /** Tells an account, or all of them (null), that confidence has drifted, at most once in an interval. */
  sendDrift(data: DriftFigures, accountId: string | null, everyMs: number): Promise<void>;
  /** Takes a due message; its address gets no other for this long. Null when there is none. */
  begin(leaseMs: number): Promise<OutgoingMessage | null>;
  delivered(message: OutgoingMessage): Promise<void>;
  failed(message: OutgoingMessage, failure: string, next: NextTry): Promise<void>;
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
