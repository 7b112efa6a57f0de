import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';
import { type DataFileSigner, PORTS } from '../../models/ports';
import { useService } from '../support/service';

/** contract 2.2, 10.1, 2.8: signed price files. */
const keys = new HmacDataFileSigner([{ id: 'test', secret: 'a secret of this test' }]);
/** Regions that can not be signed at the moment. */
let unsignable: string[] = [];
const signer: DataFileSigner = {
  sign: (file, expiresAt) => (unsignable.includes(file.region) ? null : keys.sign(file, expiresAt)),
  verify: (file, query, now) => keys.verify(file, query, now),
};
const service = useService({}, { [PORTS.DataFileSigner]: signer });

/** A fresh link to a file of `variant_birkin_croc_30`. */
async function link(kind: 'pricing_data' | 'historical_estimates', region = 'NA'): Promise<string> {
  const { body } = await service.api.item('product_birkin_croc', 'pricing');
  const pricing = body.data[0]?.variants?.find(({ id }) => id === 'variant_birkin_croc_30')?.pricing;
  return pricing?.[kind]?.find((entry) => entry.region === region)?.url ?? '';
}

const download = (url: string, method = 'GET') => service.anybody.send(method, url);

// contract 2.7
test('a link needs no key and gives a CSV that nobody may keep', async () => {
  const { status, headers } = await download(await link('pricing_data'));
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename=.*\.csv"?$/);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
});

// contract 2.8
test('listings are newest first, quoted per RFC 4180, and hold no formula', async () => {
  const { text } = await download(await link('pricing_data'));
  expect(text).toBe(
    [
      'link,variant_name,vendor,price,currency,date',
      'https://shop.example/2,"Birkin 30, ""croc""\nnoir",Ordinary Vendor,61000,usd,2026-03-02',
      `https://shop.example/1,"'=HYPERLINK(""https://evil.example"")",'@shop,59000.5,usd,2026-03-01`,
      "https://shop.example/3,'+30,'-dash,60000,usd,2026-02-01",
      '',
    ].join('\r\n'),
  );
});

test('the history is oldest first, with empty cells for what is not known', async () => {
  const { text } = await download(await link('historical_estimates'));
  expect(text).toBe(
    [
      'date,source,A,B,C,D,currency,confidence',
      '2026-01-01,ebay,56000.25,,,,usd,0.7',
      '2026-02-01,ebay,,,,,usd,0.7',
      '2026-03-01,ebay,58000,,,,usd,0.7',
      '',
    ].join('\r\n'),
  );
});

// contract 2.5
test('each region has a file of its own', async () => {
  const { text } = await download(await link('historical_estimates', 'EU-UK'));
  expect(text).toContain('the_realreal');
  expect(text).not.toContain('ebay');
});

test('HEAD answers the headers alone', async () => {
  const { status, headers, text } = await download(await link('pricing_data'), 'HEAD');
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(text).toBe('');
});

test('links are the same in v1, where they stand on the variant', async () => {
  const { body } = await service.api.v1({ style: 'style_birkin_croc' });
  const [variant] = body.data[0]?.variants ?? [];
  const [entry] = variant?.pricing_data ?? [];
  expect(entry?.region).toBe('NA');
  expect((await download(entry?.url ?? '')).status).toBe(200);
});

// contract 2.6
describe('a link that can not be signed', () => {
  const historyOf = async () =>
    (await service.api.item('product_birkin_croc', 'pricing')).body.data[0]?.variants?.[0]?.pricing;
  afterEach(() => {
    unsignable = [];
  });

  test('is left out, so that there are fewer links than regions', async () => {
    unsignable = ['NA'];
    const pricing = await historyOf();
    expect(pricing?.historical_estimates?.map(({ region }) => region)).toEqual(['EU-UK']);
    expect(pricing?.pricing_data).toEqual([]);
  });

  test('leaves an empty list where all are left out, and null where there never was one', async () => {
    unsignable = ['NA', 'EU-UK', 'EU-IE'];
    expect(await historyOf()).toMatchObject({ historical_estimates: [], pricing_data: [] });
    const { body } = await service.api.item('product_submariner', 'pricing');
    expect(body.data[0]?.variants?.[0]?.pricing).toMatchObject({
      historical_estimates: null,
      pricing_data: null,
    });
  });
});

// contract 2.7
describe('a 403 in JSON answers', () => {
  const CHANGES: [string, (signed: string) => string][] = [
    ['the raw address', (signed) => signed.replace(/\?.*/, '')],
    ['another region', (signed) => signed.replace('/NA.csv', '/EU-UK.csv')],
    ['another variant', (signed) => signed.replace('croc_30', 'croc_25')],
    ['another kind', (signed) => signed.replace('pricing_data', 'historical_estimates')],
    ['an unknown kind', (signed) => signed.replace('pricing_data', 'secrets')],
    ['an unknown region', (signed) => signed.replace('/NA.csv', '/XX.csv')],
  ];
  test.each(CHANGES)('%s', async (_what, change) => {
    const signed = await link('pricing_data');
    expect(change(signed)).not.toBe(signed);
    expect(await download(change(signed))).toMatchObject({
      status: 403,
      body: { success: false, error: 'forbidden' },
    });
  });

  test('each parameter changed, dropped or given twice', async () => {
    const signed = new URL(await link('pricing_data'));
    expect([...signed.searchParams.keys()].length).toBeGreaterThan(0);
    for (const [name, value] of signed.searchParams) {
      for (const changed of [
        `${value}0`,
        value.slice(1),
        '',
        value.toUpperCase() === value ? 'a' : value.toUpperCase(),
      ]) {
        const url = new URL(signed);
        url.searchParams.set(name, changed);
        expect((await download(url.href)).status).toBe(403);
      }
      const dropped = new URL(signed);
      dropped.searchParams.delete(name);
      expect((await download(dropped.href)).status).toBe(403);
      const twice = new URL(signed);
      twice.searchParams.append(name, value);
      expect((await download(twice.href)).status).toBe(403);
    }
  });

  test('a key in place of a signature', async () => {
    const url = new URL(await link('pricing_data'));
    url.search = '';
    expect((await service.api.send('GET', url.href)).status).toBe(403);
  });

  // contract 2.5
  test('a link after one hour, and not before', async () => {
    const url = await link('pricing_data');
    service.clock.advance(3_600_000 - 1_000);
    expect((await download(url)).status).toBe(200);
    service.clock.advance(1_000);
    expect((await download(url)).status).toBe(403);
    expect((await download(await link('pricing_data'))).status).toBe(200);
  });
});
