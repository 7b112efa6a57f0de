import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** What the service made of a photo. */
export interface Answer {
  /** The first row, a product or a taxonomy row; null for an empty answer. */
  readonly first: { readonly id: string; readonly confidence: number } | null;
  /** The product rows, best first. */
  readonly products: readonly { readonly id: string; readonly confidence: number }[];
}

const identified = z.object({ data: z.array(z.object({ id: z.string(), confidence: z.number() })) });

/** @throws Error with the status of an answer that is none */
export async function identify(url: string, key: string, file: string): Promise<Answer> {
  const photo = await readFile(file);
  const answer = await fetch(`${url}/v3/vision/identify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ base64: photo.toString('base64') }),
  });
  if (!answer.ok) throw new Error(`${file}: identify answered with ${answer.status} ${await answer.text()}`);
  const { data } = identified.parse(await answer.json());
  return { first: data[0] ?? null, products: data.filter(({ id }) => id.startsWith('product_')) };
}
