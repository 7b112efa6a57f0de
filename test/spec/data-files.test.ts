import { EventEmitter, once } from 'node:events';
import { get } from 'node:http';
import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';
import { unavailable } from '../../models/errors';
import { PORTS } from '../../models/ports';
import { useService } from '../support/service';

/** contract 2.5 to 2.9: signed price files. */
const NEW = { id: 'new', secret: 'a new secret of this test' };
const OLD = { id: 'old', secret: 'an old secret of this test' };
const lines = (...each: readonly string[]) => [...each, ''].join('\r\n');
const LISTING_COLUMNS = 'link,variant_name,vendor,price,currency,date';

const service = useService({ SIGNING_KEYS: `new:${NEW.secret},old:${OLD.secret}` });

const pricing = async () =>
  (await service.row('product_birkin_croc', 'pricing')).variants?.find(({ id }) => id.endsWith('30'))
    ?.pricing;

const { sign } = HmacDataFileSigner.prototype;
function failToSign(...regions: string[]): void {
  const signing = jest.spyOn(HmacDataFileSigner.prototype, 'sign');
  signing.mockImplementation(function (this: HmacDataFileSigner, file, expiresAt) {
    return regions.includes(file.region) ? null : sign.call(this, file, expiresAt);
  });
}

const link = async (kind: 'pricing_data' | 'historical_estimates' = 'pricing_data', region = 'NA') =>
  (await pricing())?.[kind]?.find((entry) => entry.region === region)?.url ?? '';
const download = (url: string, method = 'GET') => service.anybody.send(method, url);

describe('a file', () => {
  // contract 2.7
  test('needs no key, is a CSV that must not be cached, and HEAD has its headers', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await download(await link(), method);
      expect([status, text === '', Object.fromEntries(headers)]).toMatchObject([
        ...[200, method === 'HEAD'],
        {
          ...{ 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'private, no-store' },
          'content-disposition': expect.stringMatching(/^attachment; filename=.*\.csv"?$/),
          'x-content-type-options': 'nosniff',
        },
      ]);
    }
  });

  // contract 2.8, 2.9
  test('has listings newest first, quoted per RFC 4180, without formulas; history oldest first', async () => {
    expect((await download(await link())).text).toBe(
      lines(
        LISTING_COLUMNS,
        'https://shop.example/2,"Birkin 30, ""croc""\nnoir",Ordinary Vendor,61000,usd,2026-03-02',
        `https://shop.example/1,"'=HYPERLINK(""https://evil.example"")",'@shop,59000.5,usd,2026-03-01`,
        "https://shop.example/3,'+30,'-dash,60000,usd,2026-02-01",
      ),
    );
    expect((await download(await link('historical_estimates'))).text).toBe(
      lines(
        'date,source,A,B,C,D,currency,confidence',
        '2026-01-01,ebay,56000.25,,,,usd,0.7',
        '2026-02-01,ebay,,,,,usd,0.7',
        '2026-03-01,ebay,58000,,,,usd,0.7',
      ),
    );
    // contract 2.5
    const { text } = await download(await link('historical_estimates', 'EU-UK'));
    expect([text.includes('the_realreal'), text.includes('ebay')]).toEqual([true, false]);
  });

  // contract 2.6
  test('that cannot be signed is left out; one that never existed stays null', async () => {
    failToSign('NA');
    expect(await pricing()).toMatchObject({ historical_estimates: [{ region: 'EU-UK' }], pricing_data: [] });
    failToSign('NA', 'EU-UK', 'EU-IE');
    expect(await pricing()).toMatchObject({ historical_estimates: [], pricing_data: [] });
    const { variants } = await service.row('product_submariner', 'pricing');
    const none = { historical_estimates: null, pricing_data: null };
    expect(variants?.[0]?.pricing).toMatchObject(none);
  });

  // contract 2.7
  test('is a 403 under another address, or with a parameter that is changed, dropped or given twice', async () => {
    const right = await link();
    const wrong = [
      [/\?.*/, ''],
      ['/NA.csv', '/EU-UK.csv'],
      ['croc_30', 'croc_25'],
      ['pricing_data', 'historical_estimates'],
      ['pricing_data', 'secrets'],
      ['/NA.csv', '/XX.csv'],
    ].map(([from = '', to]) => right.replace(from, String(to)));
    for (const [name, value] of new URL(right).searchParams) {
      const other = value.toUpperCase() === value ? 'a' : value.toUpperCase();
      for (const values of [[`${value}0`], [value.slice(1)], [''], [other], [], [value, value]]) {
        const url = new URL(right);
        url.searchParams.delete(name);
        for (const each of values) url.searchParams.append(name, each);
        wrong.push(url.href);
      }
    }
    // The last letter of a signature has bits that say nothing.
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      if (!right.endsWith(letter)) wrong.push(right.slice(0, -1) + letter);
    const refusal = { status: 403, body: { success: false, error: 'forbidden' } };
    for (const url of wrong) {
      expect(url).not.toBe(right);
      for (const client of [service.anybody, service.api])
        expect(await client.send('GET', url)).toMatchObject(refusal);
    }
  });

  // contract 2.5
  test('is linked for one hour', async () => {
    const url = await link();
    service.clock.advance(3_600_000 - 1_000);
    expect((await download(url)).status).toBe(200);
    service.clock.advance(1_000);
    expect((await download(url)).status).toBe(403);
    expect((await download(await link())).status).toBe(200);
  });
});

// contract 2.7
test('SIGNING_KEYS sign with the first, and verify with any under its own name', async () => {
  const url = await link();
  expect(new URL(url).searchParams.get('key')).toBe('new');
  expect((await download(url)).status).toBe(200);
  const file = { kind: 'pricing_data', variantId: 'variant_birkin_croc_30', region: 'NA' } as const;
  const inAMinute = new Date(service.clock.now().getTime() + 60_000);
  // contract 2.6
  expect(new HmacDataFileSigner([]).sign(file, inAMinute)).toBeNull();
  for (const [id, secret, status] of [
    ['new', NEW.secret, 200],
    ['old', OLD.secret, 200],
    ['older', OLD.secret, 403],
    ['old', NEW.secret, 403],
    ['', NEW.secret, 403],
  ] as const) {
    const address = new HmacDataFileSigner([{ id, secret }]).sign(file, inAMinute) ?? '';
    expect([id, (await download(address)).status]).toEqual([id, status]);
  }
});

describe('the rows of a file', () => {
  const ROW = ['https://shop.example', 'x'.repeat(1000), 'vendor', 1, 'usd', '2026-01-01'];
  const hold = (rows: () => AsyncGenerator<readonly (string | number | null)[]>) =>
    jest.spyOn(service.resolve(PORTS.PricingRepository), 'fileRows').mockImplementation(rows);

  test('are read no faster than the client reads, and only while it is connected', async () => {
    const events = new EventEmitter();
    let read = 0;
    hold(async function* () {
      try {
        for (;;) {
          read += 1;
          yield ROW;
        }
      } finally {
        events.emit('ended');
      }
    });
    const request = get(await link());
    const [answer] = await once(request, 'response');
    await once(answer, 'data');
    answer.pause();
    // The buffers on the way fill up; after that nothing more is read, however many turns the event loop takes.
    for (let before = -1; before !== read; ) {
      before = read;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read).toBeLessThan(100_000);
    const ended = once(events, 'ended');
    request.destroy();
    await ended;
  });

  test('that fail before the first row are a 503; later, the file breaks off', async () => {
    const url = await link();
    hold(async function* () {
      yield* [];
      throw unavailable('The database does not answer; try again.', 1);
    });
    const answer = await download(url);
    expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    expect(answer.headers.has('Content-Disposition')).toBe(false);
    hold(async function* () {
      yield ROW;
      throw Object.assign(new Error('away'), { code: 'ECONNRESET' });
    });
    await expect(download(url)).rejects.toThrow();
  });

  // contract 2.8, 2.9
  test('are quoted where they must be, formulas are neutralised, numbers and other text stay as they are', async () => {
    hold(async function* () {
      yield ['=1+1', '\t=1', '\r=1', -5, 'a=b', '2026-01-01'];
      yield ['-1', '+1', '@a', 0, '', null];
      yield ['a\nb', 'c\rd', 'e\r\nf', 1, 'g,h', 'i"j'];
    });
    const rows = ["'=1+1,'\t=1,\"'\r=1\",-5,a=b,2026-01-01", "'-1,'+1,'@a,0,,"];
    const text = lines(LISTING_COLUMNS, ...rows, '"a\nb","c\rd","e\r\nf",1,"g,h","i""j"');
    expect(await download(await link())).toMatchObject({ status: 200, text });
  });
});
