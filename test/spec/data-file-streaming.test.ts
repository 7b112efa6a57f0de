import { EventEmitter, once } from 'node:events';
import { get } from 'node:http';
import { unavailable } from '../../models/errors';
import { PORTS } from '../../models/ports';
import { useService } from '../support/service';

/** Price files of any size: read as fast as the client does, and no further than it stays. */
type Cells = readonly (string | number | null)[];
const COLUMNS = 'link,variant_name,vendor,price,currency,date\r\n';
const events = new EventEmitter();
let rows: () => AsyncGenerator<Cells>;
let read = 0;

const service = useService(
  {},
  {
    [PORTS.DataFileSigner]: { sign: () => null, verify: () => true },
    [PORTS.PricingRepository]: { fileRows: () => rows() },
  },
);
const url = () => `${service.url}/files/pricing_data/variant_x/NA.csv`;

async function* endlessRows(): AsyncGenerator<Cells> {
  read = 0;
  try {
    for (;;) {
      read += 1;
      yield ['https://shop.example', 'x'.repeat(1000), 'vendor', 1, 'usd', '2026-01-01'];
    }
  } finally {
    events.emit('ended');
  }
}

test('a client that does not read stops the reading of the store', async () => {
  rows = endlessRows;
  const request = get(url());
  const [answer] = await once(request, 'response');
  answer.pause();
  let before = -1;
  // The buffers on the way fill up; after that nothing more is read, however often the loop turns.
  while (before !== read) {
    before = read;
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(read).toBeLessThan(100_000);
  const ended = once(events, 'ended');
  request.destroy();
  await ended;
});

test('a client that leaves ends the reading of the store', async () => {
  rows = endlessRows;
  const ended = once(events, 'ended');
  const request = get(url());
  const [answer] = await once(request, 'response');
  await once(answer, 'data');
  request.destroy();
  await ended;
});

test('a store that fails before the first row is a 503', async () => {
  rows = async function* () {
    yield* [];
    throw unavailable('The database does not answer; try again.', 1);
  };
  const answer = await service.api.send('GET', url());
  expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  expect(answer.headers.has('Content-Disposition')).toBe(false);
});

test('a store that fails half way breaks the file off, so that nobody takes it for whole', async () => {
  rows = async function* () {
    yield ['https://shop.example', 'first', 'vendor', 1, 'usd', '2026-01-01'];
    throw Object.assign(new Error('away'), { code: 'ECONNRESET' });
  };
  await expect(service.api.send('GET', url())).rejects.toThrow();
});

// contract 2.9
test('text that a spreadsheet would run is neutralised, numbers and other text stay as they are', async () => {
  rows = async function* () {
    yield ['=1+1', '\t=1', '\r=1', -5, 'a=b', '2026-01-01'];
    yield ['-1', '+1', '@a', 0, '', null];
  };
  expect((await service.api.send('GET', url())).text.slice(COLUMNS.length)).toBe(
    "'=1+1,'\t=1,\"'\r=1\",-5,a=b,2026-01-01\r\n'-1,'+1,'@a,0,,\r\n",
  );
});

// contract 2.8
test('a cell with any line break is quoted (RFC 4180)', async () => {
  rows = async function* () {
    yield ['a\nb', 'c\rd', 'e\r\nf', 1, 'g,h', 'i"j'];
  };
  expect((await service.api.send('GET', url())).text.slice(COLUMNS.length)).toBe(
    '"a\nb","c\rd","e\r\nf",1,"g,h","i""j"\r\n',
  );
});

test('a file without rows has its header', async () => {
  rows = async function* () {
    yield* [];
  };
  expect(await service.api.send('GET', url())).toMatchObject({
    status: 200,
    text: COLUMNS,
  });
});
