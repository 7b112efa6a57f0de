import { z } from 'zod';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../../models/webhooks/webhook';
import { part } from '../../wire/shared';
import { capitalized, namedSchema } from './schemas';

const count = (of: string) => z.int().min(0).describe(of);
const share = (of: string) => z.number().min(0).max(1).describe(of);

/** When a message is sent, its `data`, and an example of that. */
type Message = readonly [summary: string, data: Readonly<Record<string, z.ZodType>>, example: object];

/** By their event (contract 16.15, 16.16, 16.17). */
const MESSAGES: Readonly<Record<WebhookEvent, Message>> = {
  'vision.job.done': [
    'A job of the account is done',
    {
      id: z.string().describe('Id of the job'),
      total: count('Entries of the job'),
      done: count('Entries that were identified'),
      failed: count('Entries whose answer is a refusal'),
      cancelled: count('Entries without an answer'),
    },
    { id: 'job_V1StGXR8_Z5jdHi6B-myT', total: 3, done: 2, failed: 1, cancelled: 0 },
  ],
  'account.credits.low': [
    'A charge took the balance below `credits_below`',
    { credits: count('Credits that are left'), credits_below: count('The threshold of the webhook') },
    { credits: 497, credits_below: 500 },
  ],
  'catalog.import.done': [
    'An import of the catalog is done',
    { accepted: count('Records that were written'), rejected: count('Records that were not') },
    { accepted: 880, rejected: 2 },
  ],
  'model.drift': [
    'The feedback of 30 days contradicts the confidence; at most once a week',
    {
      claimed: share('Mean confidence of the answers'),
      right: share('Share of them that were right'),
      answers: count('Answers with feedback'),
    },
    { claimed: 0.93, right: 0.78, answers: 412 },
  ],
};

/** The schema of a message: `VisionJobDoneMessage` of `vision.job.done`. */
const nameOf = (event: WebhookEvent): string => `${capitalized(event)}Message`;
for (const event of WEBHOOK_EVENTS) {
  part(nameOf(event), {
    type: z.literal(event).describe('The event'),
    timestamp: z.iso.datetime().describe('When it happened'),
    data: z.object(MESSAGES[event][1]).describe('What happened'),
  });
}

const HEADERS = {
  'webhook-id': 'Id of the message, the same each time that it is sent',
  'webhook-timestamp': 'When it was sent this time, in seconds since 1970',
  'webhook-signature': '`v1,` and the HMAC-SHA256 of `id.timestamp.body` under the secret, in base64',
};

/** The messages to registered addresses, by event (contract 16.12, 16.13). */
export const webhooks = () =>
  Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, { post: webhookOf(event) }]));

function webhookOf(type: WebhookEvent): object {
  const [summary, , example] = MESSAGES[type];
  const value = { type, timestamp: '2026-03-15T12:00:00.000Z', data: example };
  const content = { schema: namedSchema(nameOf(type)), examples: { one: { value } } };
  return {
    operationId: `on${capitalized(type)}`,
    tags: ['webhooks'],
    summary,
    description:
      'Sent to addresses that are registered for the event, signed as [Standard Webhooks](https://www.standardwebhooks.com) say. It comes at least once: until a 2xx, with growing pauses, for a day.',
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': content } },
    responses: {
      '2XX': { description: 'The message has arrived' },
      '410': { description: 'The address wants no more messages' },
    },
  };
}
