import type { Response } from 'express';
import * as fc from 'fast-check';
import { readStoredAnswer, serializeAnswer } from '../../api/middleware/idempotency';
import { linkRenewal } from '../../api/middleware/links';
import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';

const keys = [{ id: 'k', secret: 'secret' }];
const clock = { now: () => new Date(5 * 3_600_000) };
const renewal = (secrets: typeof keys) => linkRenewal({ signer: new HmacDataFileSigner(secrets), clock });
const headers: Readonly<Record<string, string>> = { 'X-Prediction-Id': 'p' };
const response = { statusCode: 201, get: (name: string) => headers[name] } as Partial<Response> as Response;

const linkOf = (variantId: string) => {
  const file = { kind: 'pricing_data', variantId, region: 'NA' } as const;
  return { region: 'NA', url: `https://a.example${new HmacDataFileSigner(keys).sign(file, new Date(0))}` };
};
const rows = fc.array(
  fc.record({
    name: fc.string({ unit: 'binary' }),
    data: fc.oneof(fc.jsonValue(), fc.constant({ region: 'NA', url: '/files/pricing_data/%zz/NA.csv?x=1' })),
    pricing_data: fc.array(fc.string({ minLength: 1, unit: 'grapheme' }).map(linkOf)),
  }),
);
const pieceSizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 });

/** The text in pieces of any size, the first of which has the head. */
async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<string> {
  let from = text.indexOf('"body":') + 7;
  yield text.slice(0, from);
  for (let at = 0; from < text.length; at += 1) {
    const to = from + (sizes[at % sizes.length] ?? 1);
    yield text.slice(from, to);
    from = to;
  }
}

// contract 2.5, 2.6, 12.6
test.each([
  ['its links signed anew', keys],
  ['without a link where nothing can sign', []],
])('the pieces add up to the kept answer, %s, wherever it was split', async (_what, secrets) => {
  await fc.assert(
    fc.asyncProperty(rows, pieceSizes, async (data, sizes) => {
      const renew = renewal(secrets);
      const answer = await readStoredAnswer(cut(serializeAnswer(response, { success: true, data }), sizes));
      expect(answer).toMatchObject({ status: 201, headers });
      let json = '';
      for await (const piece of answer.body) json += renew(piece);
      expect(json).toBe(renew(JSON.stringify({ success: true, data })));
      const shown = (JSON.parse(json) as { data: typeof data }).data;
      const plain = (among: typeof data) => among.map(({ name, data: value }) => ({ name, data: value }));
      expect(plain(shown)).toEqual(JSON.parse(JSON.stringify(plain(data))));
      const path = ({ url }: { url: string }) => url.split('?')[0];
      const links = shown.flatMap((row) => row.pricing_data);
      const given = secrets.length > 0 ? data.flatMap((row) => row.pricing_data) : [];
      expect(links.map(path)).toEqual(given.map(path));
      for (const { url } of links) expect(new URL(url).searchParams.get('expires')).toBe(String(6 * 3_600));
    }),
  );
});
