import type { JobAnswer } from '../../api/client/schema';
import { VisionJobRunner } from '../../models/vision/jobs/vision-job-runner';
import { MessageDispatcher } from '../../models/webhooks/message-dispatcher';
import type { ApiClient } from './api-client';
import { DocumentCheck } from './document-check';
import { WebhookReceiver } from './local-server';
import { useService } from './service';

/** The beginning of a picture, and nothing after it. */
export const DAMAGED_PNG = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');

/** A service whose jobs run only when a test says so. The workers are fakes: every photo shows one bag unless a test changes it. */
export function useJobs(settings: Readonly<Record<string, string>> = {}) {
  const service = useService(settings);
  const { signal } = new AbortController();
  const rowsOf = (table: string, where: object = {}) => service.knex(table).where(where);

  beforeEach(async () => {
    service.queue.reset();
    await service.sees(['product_birkin_croc', 0.05]);
  });
  // The next test would process what is left.
  afterEach(() => rowsOf('vision_jobs').delete());

  /** Processes the next entry, as the service does every second. */
  const look = () => service.resolve(VisionJobRunner).next(signal);

  /** The job as soon as all of its entries have ended. */
  async function ended({ body: { id } }: { body: JobAnswer }, api = service.api): Promise<JobAnswer> {
    for (;;) {
      const { body } = await api.job(id);
      if (body.status === 'done') return body;
      await look();
    }
  }

  /** A client of a fresh account. */
  const account = (credits: number | null = null) => service.newKey({ credits });

  return { service, photo: service.photo, look, ended, account, rowsOf };
}

interface Registered {
  readonly id: string;
  readonly secret: string;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly disabled_at: string | null;
}

/** Such a service that may send webhooks to a server of this machine. */
export function useWebhooks() {
  const receiver = new WebhookReceiver();
  const settings: Record<string, string> = {};
  beforeAll(async () => {
    settings['WEBHOOK_ALLOW'] = await receiver.listen();
  });
  const jobs = useJobs(settings);
  const { service, photo, ended, rowsOf } = jobs;
  beforeEach(() => receiver.answers(() => 204));
  const document = new DocumentCheck();
  afterEach(async () => {
    await rowsOf('webhook_endpoints').delete();
    expect(receiver.received.flatMap(({ body }) => document.faultsOfMessage(body))).toEqual([]);
  });
  afterAll(() => receiver.close());

  let paths = 0;
  /** A client of a fresh account whose webhook, at a path of its own, is told of these events. */
  async function told(events: readonly string[], rest: object = {}, credits: number | null = null) {
    const { api, accountId, keyId } = await service.newKey({ credits });
    paths += 1;
    const path = `/${paths}`;
    const body = { url: `http://${receiver.address}${path}`, events, ...rest };
    const { id, secret } = (await api.send<Registered>('POST', '/v3/webhooks', { body })).body;
    const listed = async () => (await api.send<{ data: Registered[] }>('GET', '/v3/webhooks')).body.data[0];
    /** The data of the messages that have arrived, once there are this many. */
    const data = async (count: number) =>
      (await receiver.has(count, path)).map((message): unknown => JSON.parse(message.body).data);
    return { api, accountId, keyId, path, id, secret, listed, data };
  }

  /** Sends what is due, as the service does every two seconds. */
  async function send(): Promise<void> {
    const { signal } = new AbortController();
    while (await service.resolve(MessageDispatcher).next(signal));
  }

  /** A job with one entry, made and done. */
  const done = async (api: ApiClient, entry: object = photo): Promise<string> =>
    (await ended(await api.createJob({ entries: [entry] }), api)).id;

  return { ...jobs, receiver, told, send, done };
}
