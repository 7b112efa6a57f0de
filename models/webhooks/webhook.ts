/** The events that an address can subscribe to (contract 16.15, 16.16, 16.17). */
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
  /** The balance below which `account.credits.low` is sent; null without that event. */
  readonly creditsBelow: number | null;
}

export interface Webhook extends WebhookRegistration {
  readonly id: string;
  readonly test: boolean;
  readonly createdAt: Date;
  /** The key that registered it, or the one it was rotated to; null if unknown. */
  readonly keyId: string | null;
  /** When messages to it stopped: its key was revoked or expired, or it answered 410. */
  readonly keyEndedAt: Date | null;
  readonly disabledAt: Date | null;
  /** Failed attempts since the last delivered message, and the last error. */
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
  /** When it was taken, by the clock that all processes share: recipients refuse a message from another time. */
  readonly takenAt: Date;
  /** Attempts, including this one, and earlier failures of its address. */
  readonly tries: number;
  readonly failures: number;
}
