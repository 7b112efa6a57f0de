import type { WebhookEvent } from '../../../models/webhooks/webhook';
import { nameOfMessage, schemaReference } from './schemas';

const MESSAGES: Readonly<Record<WebhookEvent, { readonly summary: string; readonly data: object }>> = {
  'vision.job.done': {
    summary: 'A job of the account is done',
    data: { id: 'job_V1StGXR8_Z5jdHi6B-myT', total: 3, done: 2, failed: 1, cancelled: 0 },
  },
  'account.credits.low': {
    summary: 'A charge took the balance below `credits_below`',
    data: { credits: 497, credits_below: 500 },
  },
  'catalog.import.done': {
    summary: 'An import of the catalog is done',
    data: { accepted: 880, rejected: 2 },
  },
  'model.drift': {
    summary: 'The feedback of 30 days contradicts the confidence; at most once a week',
    data: { claimed: 0.93, right: 0.78, answers: 412 },
  },
};

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** What a registered address gets at an event (contract 16.12, 16.13). */
export function webhookOf(type: WebhookEvent): object {
  const { summary, data } = MESSAGES[type];
  const name = nameOfMessage(type);
  const value = { type, timestamp: '2026-03-15T12:00:00.000Z', data };
  return {
    operationId: `on${name.replace('Message', '')}`,
    tags: ['webhooks'],
    summary,
    description:
      'Sent to addresses that are registered for the event, signed as [Standard Webhooks](https://www.standardwebhooks.com) say. It comes at least once: until a 2xx, with growing pauses, for a day.',
    security: [],
    parameters: [
      header('webhook-id', 'Id of the message, the same each time that it is sent'),
      header('webhook-timestamp', 'When it was sent this time, in seconds since 1970'),
      header(
        'webhook-signature',
        '`v1,` and the HMAC-SHA256 of `id.timestamp.body` under the secret, in base64',
      ),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaReference(name), examples: { one: { value } } } },
    },
    responses: {
      '2XX': { description: 'The message has arrived' },
      '410': { description: 'The address wants no more messages' },
    },
  };
}
