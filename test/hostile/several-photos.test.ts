import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useService } from '../support/service';

/** Five photos at once from many callers: what they take is bounded, what can't be answered is free (contract 7.14, 12.7). */
const IMAGE_BYTES_MAX = 2_000_000;
/** Long enough to be sent a photo by a busy machine. */
const FETCH_MS = 4_000;
const CALLERS = 16;

let answer: RequestListener = (_request, response) => response.end();
const host = createServer((request, response) => answer(request, response)).listen(0);
const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
const service = useService({
  IMAGE_BYTES_MAX: String(IMAGE_BYTES_MAX),
  BODY_MEMORY_MIB: '12',
  IMAGE_FETCH_TIMEOUT_MS: String(FETCH_MS),
  IMAGE_FETCH_ALLOW: address,
});

/** Readers ignore what follows the end of a PNG. */
const photoOf = async (bytes: number): Promise<Buffer> => {
  const photo = service.photoBytes;
  return Buffer.concat([photo, Buffer.alloc(bytes - photo.length)]);
};
const fiveAddresses = Array.from({ length: 5 }, (_, at) => ({ url: `http://${address}/${at}.png` }));

beforeEach(() => service.sees(['product_birkin_croc', 0.05]));
afterAll(() => {
  host.closeAllConnections();
  host.close();
});

/** The statuses of a call by each of sixteen accounts; what each was charged is what it was told. */
async function statusesOf(body: object): Promise<number[]> {
  return Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const { api, accountId } = await service.newKey({ credits: 100 });
      const { status, headers } = await api.identify(body);
      const told = Number(headers.get('X-Credits-Used'));
      expect([status, await service.creditsBooked(accountId)]).toEqual([status, told]);
      expect([status, told]).toEqual([status, status === 200 ? 13 : 0]);
      return status;
    }),
  );
}

test('five of the largest photos together are read from sixteen callers, or turned away', async () => {
  const base64 = (await photoOf(IMAGE_BYTES_MAX / 5)).toString('base64');
  const statuses = await statusesOf({ images: Array.from({ length: 5 }, () => ({ base64 })) });
  expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
});

test('five of the largest photos at addresses are fetched for sixteen callers, or those are turned away', async () => {
  const photo = await photoOf(IMAGE_BYTES_MAX);
  answer = (_request, response) => response.end(photo);
  const statuses = await statusesOf({ images: fiveAddresses });
  // 12 MiB for 16 x 10 MB: some wait until their hosts are given up.
  expect(statuses.filter((status) => ![200, 422, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
});

test('five addresses that never answer end in a free 422, and hold up nobody else', async () => {
  answer = () => undefined;
  const slow = statusesOf({ images: fiveAddresses });
  const base64 = service.photo.base64;
  expect((await service.api.identify({ base64 })).status).toBe(200);
  expect(new Set(await slow)).toEqual(new Set([422]));
  const { body } = await service.api.identify({ images: fiveAddresses });
  expect(body).toMatchObject({ reason: 'url_timeout', index: expect.any(Number) });
});

test('one address that fails among five ends the call, and names the photo', async () => {
  const photo = service.photoBytes;
  answer = (request, response) => {
    if (request.url === '/3.png') response.writeHead(404).end();
    else response.end(photo);
  };
  expect(await service.api.identify({ images: fiveAddresses })).toMatchObject({
    status: 422,
    body: { reason: 'url_status', index: 3 },
  });
});
