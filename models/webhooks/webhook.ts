/** What an address can be told (contract 16.15, 16.16, 16.17). */
export const WEBHOOK_EVENTS = [
  'vision.job.done',
  'account.credits.low',
  'catalog.import.done',
  'model.drift',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export interface WebhookRegistration {
  readonly url: URL;
  readonly events: readonly WebhookEvent[];
  /** The balance below which it is told of low credits; null without that event. */
  readonly creditsBelow: number | null;
}

export interface Webhook extends WebhookRegistration {
  readonly id: string;
  readonly test: boolean;
  readonly createdAt: Date;
  /** The key that registered it, or that took the place of that; null where none is known. */
  readonly keyId: string | null;
  /** Since when it is told nothing any more: its key was revoked or expired, or it answered 410. */
  readonly keyEndedAt: Date | null;
  readonly disabledAt: Date | null;
  /** Tries that failed since the last message that arrived, and what the last of them met. */
  readonly failures: number;
  readonly lastFailure: string | null;
}

export interface OutgoingMessage {
  readonly id: string;
  readonly endpointId: string;
  readonly url: URL;
  readonly secret: string;
  readonly type: WebhookEvent;
  readonly data: object;
  readonly createdAt: Date;
  /** How often it was sent, this time too, and how often its address has failed before. */
  readonly tries: number;
  readonly failures: number;
}
