import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** What the service made of photos. */
export interface Answer {
  /** The first row, a product or a taxonomy row; null for an empty answer. */
  readonly first: Row | null;
  /** The product rows, best first. */
  readonly products: readonly Row[];
  /** The brand of the first product row; null without one, or where no evidence was asked for. */
  readonly brand: Row | null;
}

interface Row {
  readonly id: string;
  readonly confidence: number;
}

const row = z.object({ id: z.string(), confidence: z.number() });
const identified = z.object({
  data: z.array(row.extend({ evidence: z.object({ levels: z.array(row) }).optional() })),
});

/**
 * @param files photos of one item
 * @param asked further parameters of the call
 * @throws Error with the status of an answer that is none
 */
export async function identify(
  { url, key }: { readonly url: string; readonly key: string },
  files: readonly string[],
  asked: object = {},
): Promise<Answer> {
  const images = await Promise.all(
    files.map(async (file) => ({ base64: (await readFile(file)).toString('base64') })),
  );
  const answer = await fetch(`${url}/v3/vision/identify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...(images.length === 1 ? images[0] : { images }), ...asked }),
  });
  if (!answer.ok) throw new Error(`${files}: identify answered with ${answer.status} ${await answer.text()}`);
  const { data } = identified.parse(await answer.json());
  const products = data.filter(({ id }) => id.startsWith('product_'));
  return { first: data[0] ?? null, products, brand: products[0]?.evidence?.levels[0] ?? null };
}
