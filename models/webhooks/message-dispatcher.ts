import { inject, injectable } from 'tsyringe';
import { messageOf } from '../errors';
import { type Clock, NO_SLOT, PORTS, type WebhookSender, type WebhookStore } from '../ports';
import { pauseAfter } from '../retries';
import { signedHeaders } from './message-signature';
import type { OutgoingMessage } from './webhook';

/** A message taken longer ago than this belongs to a process that died. */
const LEASE_MS = 30_000;

/** How long a message is tried (contract 16.13). */
const DELIVERY_MS = 86_400_000;

const FAILURE_LENGTH_MAX = 200;

const GONE = 410;

@injectable()
export class MessageDispatcher {
  constructor(
    @inject(PORTS.WebhookStore) private readonly webhooks: WebhookStore,
    @inject(PORTS.WebhookSender) private readonly sender: WebhookSender,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** Sends one message if one is due; returns whether one was. @param signal ends it early, to be sent again */
  async next(signal: AbortSignal, { reportWork } = NO_SLOT): Promise<boolean> {
    const message = await this.webhooks.begin(LEASE_MS);
    if (!message) return false;
    reportWork();
    const outcome = await this.send(message, signal);
    if (outcome === GONE) await this.webhooks.disable(message.endpointId);
    else if (typeof outcome === 'number' && outcome >= 200 && outcome < 300) {
      await this.webhooks.delivered(message);
    } else if (!signal.aborted) await this.recordFailure(message, outcome);
    return true;
  }

  private async send(message: OutgoingMessage, signal: AbortSignal) {
    const { url, secret, id, type, data, createdAt, takenAt } = message;
    const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), data });
    const seconds = Math.floor(takenAt.getTime() / 1000);
    try {
      return await this.sender.send(url, signedHeaders(secret, id, seconds, body), body, signal);
    } catch (failure) {
      return messageOf(failure);
    }
  }

  private recordFailure(message: OutgoingMessage, outcome: number | string): Promise<void> {
    const failure =
      typeof outcome === 'number' ? `The address answered with HTTP status ${outcome}.` : outcome;
    return this.webhooks.failed(message, failure.slice(0, FAILURE_LENGTH_MAX), {
      message: this.from(pauseAfter(message.tries)),
      endpoint: this.from(pauseAfter(message.failures + 1)),
      dropBefore: this.from(-DELIVERY_MS),
    });
  }

  private from(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}
