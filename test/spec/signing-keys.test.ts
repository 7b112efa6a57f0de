import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';
import { PORTS } from '../../models/ports';
import type { DataFile } from '../../models/pricing/estimate';
import { type TestService, useService } from '../support/service';

/** contract 2.2, 14: the keys of data-file links and how they are changed. */
const NEW = 'a new secret of this test';
const OLD = 'an old secret of this test';
const service = useService({ SIGNING_KEYS: `new:${NEW},old:${OLD}` });

const FILE: DataFile = { kind: 'pricing_data', variantId: 'variant_birkin_croc_30', region: 'NA' };

const inAMinute = ({ clock }: TestService) => new Date(clock.now().getTime() + 60_000);

const download = async (id: string, secret: string) => {
  const address = new HmacDataFileSigner([{ id, secret }]).sign(FILE, inAMinute(service));
  return (await service.anybody.send('GET', address ?? '')).status;
};

// contract 2.7
test('the first key signs', async () => {
  const { body } = await service.api.item('product_birkin_croc', 'pricing');
  const url = body.data[0]?.variants?.[0]?.pricing?.pricing_data?.[0]?.url ?? '';
  expect(new URL(url).searchParams.get('key')).toBe('new');
  expect((await service.anybody.send('GET', url)).status).toBe(200);
});

test.each([
  ['new', NEW],
  ['old', OLD],
])('links of the key %s are good', async (id, secret) => {
  expect(await download(id, secret)).toBe(200);
});

test.each([
  ['a key that was taken out', 'older', OLD],
  ['the secret of another key', 'old', NEW],
  ['a key without a name', '', NEW],
])('links of %s are a 403', async (_what, id, secret) => {
  expect(await download(id, secret)).toBe(403);
});

describe('where no key can sign', () => {
  const unsigned = useService({}, { [PORTS.DataFileSigner]: new HmacDataFileSigner([]) });

  test('links are left out of every version, and nothing verifies', async () => {
    const { body } = await unsigned.api.item('product_birkin_croc', 'pricing');
    const none = { historical_estimates: [], pricing_data: [] };
    expect(body.data[0]?.variants?.[0]?.pricing).toMatchObject(none);
    const legacy = await unsigned.api.v1({ style: 'style_birkin_croc' });
    expect(legacy.body.data[0]?.variants?.[0]).toMatchObject(none);
    const address = new HmacDataFileSigner([{ id: 'k1', secret: NEW }]).sign(FILE, inAMinute(unsigned));
    expect((await unsigned.anybody.send('GET', address ?? '')).status).toBe(403);
  });
});
