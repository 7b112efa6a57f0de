import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { closedLoop, JsonClient, openLoop, type TimedCall } from '../open-loop';

/** Photos to send, and how. */
export interface PhotoLoad {
  readonly url: string;
  readonly keys: readonly string[];
  readonly bodies: readonly Uint8Array[];
  readonly seconds: number;
  /** So many a second, whether or not the others were answered; or by clients that wait for their answers. */
  readonly pace: { readonly perSecond: number } | { readonly clients: number };
}

/**
 * Sends photos from a thread of its own, so that what the sending takes is not found in the latencies of other calls,
 * which the main thread measures; and on Linux behind the service, whose callers are on other machines than itself.
 */
export async function sendPhotos(load: PhotoLoad): Promise<TimedCall[]> {
  const thread = new Worker(__filename, {
    workerData: load,
    execArgv: ['--require', require.resolve('tsx/cjs')],
  });
  const [calls] = (await once(thread, 'message')) as [TimedCall[]];
  await once(thread, 'exit');
  return calls;
}

async function send({ url, keys, bodies, seconds, pace }: PhotoLoad): Promise<TimedCall[]> {
  const client = new JsonClient(url);
  const identify = (index: number) =>
    client.post(
      '/v3/vision/identify',
      keys[index % keys.length] ?? '',
      bodies[index % bodies.length] ?? new Uint8Array(),
    );
  const calls =
    'clients' in pace
      ? await closedLoop(pace.clients, seconds, identify)
      : await openLoop(pace.perSecond, seconds, identify);
  await client.close();
  return calls;
}

const port = parentPort;
if (port && process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
if (port) void send(workerData as PhotoLoad).then((calls) => port.postMessage(calls));
