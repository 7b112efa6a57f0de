import type { Response } from 'express';
import * as fc from 'fast-check';
import { keptAnswer, storedForm } from '../../api/middleware/kept-answer';
import { linkRenewal } from '../../api/middleware/links';
import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';

/** Answers that are kept as text, read in pieces, and given out with links of their own time. */
const keys = [{ id: 'k', secret: 'secret' }];
const hours = (count: number) => ({ now: () => new Date(count * 3_600_000) });
const renewedWith = (secrets: typeof keys, at: number) =>
  linkRenewal({ signer: new HmacDataFileSigner(secrets), clock: hours(at) });
const responseOf = (headers: Readonly<Record<string, string>>) =>
  ({ statusCode: 201, get: (name: string) => headers[name] }) as Partial<Response> as Response;

const linkFor = (region: string, variant: string) => ({
  region,
  url: `https://a.example${new HmacDataFileSigner(keys).sign({ kind: 'pricing_data', variantId: variant, region: 'NA' }, new Date(0))}`,
});
const rows = fc.array(
  fc.record({
    name: fc.string({ unit: 'binary' }),
    data: fc.jsonValue(),
    pricing_data: fc.array(fc.string({ minLength: 1, unit: 'grapheme' }).map((id) => linkFor('NA', id))),
  }),
);

/** The text in pieces of any size, the first of which has the head. */
async function* cut(text: string, head: number, sizes: readonly number[]): AsyncGenerator<string> {
  yield text.slice(0, head);
  let from = head;
  for (let at = 0; from < text.length; at += 1) {
    const size = sizes[at % sizes.length] ?? 1;
    yield text.slice(from, from + size);
    from += size;
  }
}

async function repeated(text: string, sizes: readonly number[], renew: (json: string) => string) {
  const { status, headers, body } = await keptAnswer(cut(text, text.indexOf('"body":') + 7, sizes));
  let json = '';
  for await (const piece of body) json += renew(piece);
  return { status, headers, json };
}

// contract 2.5, 12.6
test('the pieces make the answer that was kept, its links signed anew, wherever it was cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      async (data, sizes) => {
        const body = { success: true, data };
        const text = storedForm(responseOf({ 'X-Prediction-Id': 'p' }), body);
        const renew = renewedWith(keys, 5);
        const answer = await repeated(text, sizes, renew);
        expect(answer.json).toBe(renew(JSON.stringify(body)));
        expect(answer).toMatchObject({ status: 201, headers: { 'X-Prediction-Id': 'p' } });
        const shown = (JSON.parse(answer.json) as typeof body).data;
        for (const [row, { pricing_data: links, ...plain }] of shown.entries()) {
          expect(plain).toEqual(JSON.parse(JSON.stringify({ name: data[row]?.name, data: data[row]?.data })));
          const expected = data[row]?.pricing_data.map(({ url }) => url.split('?')[0]);
          expect(links.map(({ url }) => url.split('?')[0])).toEqual(expected);
          for (const { url } of links)
            expect(new URL(url).searchParams.get('expires')).toBe(String(6 * 3_600));
        }
      },
    ),
  );
});

// contract 2.6
test('no link is left where nothing can sign', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      async (data, sizes) => {
        const text = storedForm(responseOf({}), { data });
        const { json } = await repeated(text, sizes, renewedWith([], 5));
        const shown = (JSON.parse(json) as { data: typeof data }).data;
        expect(shown.flatMap(({ pricing_data: links }) => links)).toEqual([]);
        expect(shown).toHaveLength(data.length);
      },
    ),
  );
});
