import type { Knex } from 'knex';
import { PORTS } from '../../models/ports';
import { MessageDispatcher } from '../../models/webhooks/message-dispatcher';
import { ApiClient } from './api-client';
import { DocumentCheck } from './document-check';
import { useJobs } from './photo-jobs';
import { type ReceivedMessage, WebhookReceiver } from './webhook-receiver';

interface Registered {
  readonly id: string;
  readonly secret: string;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly disabled_at: string | null;
}

export const idOf = ({ headers }: ReceivedMessage) => headers['webhook-id'];
export const dataOf = ({ body }: ReceivedMessage): unknown => JSON.parse(body).data;

/** A service that tells callers what happens, at a host of this machine. */
export function useWebhooks() {
  const receiver = new WebhookReceiver();
  const settings: Record<string, string> = {};
  let host = '';
  beforeAll(async () => {
    host = await receiver.listen();
    settings['WEBHOOK_ALLOW'] = host;
  });
  const { service, photo, ended } = useJobs(settings);
  const rowsOf = (table: string) => service.resolve<Knex>(PORTS.Knex)(table);
  beforeEach(() => receiver.answers(() => 204));
  const document = new DocumentCheck();
  afterEach(async () => {
    await rowsOf('webhook_endpoints').delete();
    expect(receiver.received.flatMap(({ body }) => document.faultsOfMessage(body))).toEqual([]);
  });
  afterAll(() => receiver.close());

  let paths = 0;
  /** A client of a fresh account, with an address of its own that is told of these events. */
  async function told(events: readonly string[], rest: object = {}, credits: number | null = null) {
    const { api, accountId, keyId } = await service.newKey({ credits });
    paths += 1;
    const path = `/${paths}`;
    const body = { url: `http://${host}${path}`, events, ...rest };
    const { id, secret } = (await api.send<Registered>('POST', '/v3/webhooks', { body })).body;
    const listed = async () => (await api.send<{ data: Registered[] }>('GET', '/v3/webhooks')).body.data[0];
    return { api, accountId, keyId, path, id, secret, listed };
  }

  /** The service sends by itself every two seconds; a test has no time for that. */
  async function send(): Promise<void> {
    const { signal } = new AbortController();
    while (await service.resolve<MessageDispatcher>(MessageDispatcher as never).next(signal));
  }

  /** A job with one entry, made and done. */
  const done = async (api: ApiClient, entry: object = photo): Promise<string> =>
    (await ended(await api.createJob({ entries: [entry] }), api)).id;

  return { service, receiver, photo, rowsOf, told, send, done };
}
