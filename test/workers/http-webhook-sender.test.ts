import { freePort } from '../../scripts/lab/services/servers';
import { HttpWebhookSender } from '../../workers/webhooks/http-webhook-sender';
import { WebhookReceiver } from '../support/local-server';

const { signal } = new AbortController();
const receiver = new WebhookReceiver();
const names: Record<string, string[]> = {
  'inside.example': ['127.0.0.1'],
  'mixed.example': ['2d00::1', '10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
};
let host: string;
let sender: HttpWebhookSender;
let outsider: HttpWebhookSender;

beforeAll(async () => {
  host = await receiver.listen();
  const resolve = async (name: string) => names[name] ?? [];
  sender = new HttpWebhookSender({ timeoutMs: 15_000, allow: [host], resolve });
  outsider = new HttpWebhookSender({ timeoutMs: 15_000, allow: [], resolve });
});
afterAll(() => Promise.all([receiver.close(), sender.close(), outsider.close()]));

// contract 16.11
test.each(Object.keys(names))('a name that leads inside is not dialled: %s', async (name) => {
  const port = host.split(':')[1];
  const url = new URL(`https://${name}:${port}/`);
  // What a name means is known when it is dialled.
  expect(outsider.accepts(url)).toBe(true);
  await expect(outsider.send(url, {}, '{}', signal)).rejects.toThrow('not public');
  expect(receiver.received).toEqual([]);
});

test('an address inside is refused before it is dialled, unless it is allowed', async () => {
  const url = new URL(`http://${host}/`);
  expect([sender.accepts(url), outsider.accepts(url)]).toEqual([true, false]);
  await expect(outsider.send(url, {}, '{}', signal)).rejects.toThrow('not public');
  expect(await sender.send(url, { 'webhook-id': 'm' }, '{"a":1}', signal)).toBe(204);
  expect(receiver.received).toMatchObject([{ body: '{"a":1}', headers: { 'webhook-id': 'm' } }]);
});

// contract 16.14
test('an answer that does not come in time is given up', async () => {
  receiver.answers(() => new Promise(() => undefined));
  const hasty = new HttpWebhookSender({ timeoutMs: 300, allow: [host] });
  await expect(hasty.send(new URL(`http://${host}/`), {}, '{}', signal)).rejects.toThrow('within 300 ms');
  await hasty.close();
});

test('an address where nobody listens is reported, without internal details', async () => {
  const free = `127.0.0.1:${await freePort()}`;
  const lonely = new HttpWebhookSender({ timeoutMs: 15_000, allow: [free] });
  const sent = lonely.send(new URL(`http://${free}/`), {}, '{}', signal);
  await expect(sent).rejects.toThrow('The address cannot be reached.');
  await lonely.close();
});
