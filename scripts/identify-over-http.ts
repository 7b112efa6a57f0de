import { z } from 'zod';
import { AppError } from '../models/errors';

/** The part of an identify answer that commands show. */
const identifyAnswer = z.looseObject({
  success: z.literal(true),
  results: z.number(),
  credits_used: z.number(),
  data: z.array(z.looseObject({ id: z.string(), name: z.string(), confidence: z.number() })),
});
export type IdentifyAnswer = z.infer<typeof identifyAnswer>;

const errorAnswer = z.object({ error: z.string(), message: z.string() });

/**
 * Asks a running service what a photo shows.
 *
 * @throws AppError with the service's own message when it refuses
 */
export async function identifyOverHttp(
  baseUrl: string,
  key: string,
  image: { url: string } | { base64: string },
): Promise<IdentifyAnswer> {
  const answer = await fetch(`${baseUrl}/v3/vision/identify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(image),
    signal: AbortSignal.timeout(60_000),
  });
  const body: unknown = await answer.json();
  if (answer.ok) return identifyAnswer.parse(body);
  const told = errorAnswer.safeParse(body);
  const message = told.success
    ? told.data.message
    : `The service answered with HTTP status ${answer.status}.`;
  throw new AppError(answer.status, 'bad_request', message);
}
