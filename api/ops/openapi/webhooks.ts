import { WEBHOOK_EVENTS, type WebhookEvent } from '../../../models/webhooks/webhook';
import { WEBHOOK_MESSAGES } from '../../v3/webhook-messages';
import { nameOfMessage, schemaReference } from './schemas';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The messages to registered addresses, by event (contract 16.12, 16.13). */
export const webhooks = () =>
  Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, { post: webhookOf(event) }]));

function webhookOf(type: WebhookEvent): object {
  const { summary, example } = WEBHOOK_MESSAGES[type];
  const value = { type, timestamp: '2026-03-15T12:00:00.000Z', data: example };
  const content = { schema: schemaReference(nameOfMessage(type)), examples: { one: { value } } };
  return {
    operationId: `on${nameOfMessage(type).replace('Message', '')}`,
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
    requestBody: { required: true, content: { 'application/json': content } },
    responses: {
      '2XX': { description: 'The message has arrived' },
      '410': { description: 'The address wants no more messages' },
    },
  };
}
