import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret, in the form of Standard Webhooks: 32 random bytes. */
export const generateWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** The headers that say who sends a message, and when (contract 16.12). @param seconds Unix time */
export function signedHeaders(secret: string, id: string, seconds: number, body: string) {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
