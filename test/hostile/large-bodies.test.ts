import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { useService } from '../support/service';

/** Issue 4: the memory of the API stays in bounds whatever is uploaded at once; ordinary photos do not wait for it. */
const IMAGE_BYTES_MAX = 2_400_000;
const service = useService({ IMAGE_BYTES_MAX: String(IMAGE_BYTES_MAX), VISION_DEADLINE_MS: '6000' });
const uploads: Socket[] = [];

beforeEach(() => service.sees(['product_birkin_croc', 0.05]));
afterEach(() => {
  for (const upload of uploads.splice(0)) upload.destroy();
});

/** A caller that announces a large photo and never sends it; resolves once the service waits for the photo. */
async function stalledUpload(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  uploads.push(socket);
  await once(socket, 'connect');
  socket.write(
    [
      'POST /v3/vision/identify HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${service.key.key}`,
      'Content-Type: application/json',
      `Content-Length: ${IMAGE_BYTES_MAX}`,
      '',
      '{"base64":"',
    ].join('\r\n'),
  );
  return socket;
}

/** Readers ignore what follows the end of a PNG. */
const largePhoto = async (): Promise<object> => {
  const photo = await service.photo();
  return { base64: Buffer.concat([photo, Buffer.alloc(2_000_000)]).toString('base64') };
};
const smallPhoto = async (): Promise<object> => ({ base64: (await service.photo()).toString('base64') });

test('large photos wait for room and are answered when there is some; small ones never wait', async () => {
  const stalled = await Promise.all([stalledUpload(), stalledUpload(), stalledUpload()]);
  // By the time that this is answered, what was written before it has been read.
  expect((await service.api.identify(await smallPhoto())).status).toBe(200);
  expect((await service.api.identify(await largePhoto())).status).toBe(504);
  for (const upload of stalled) upload.destroy();
  expect((await service.api.identify(await largePhoto())).status).toBe(200);
});

test('many large photos at once are all answered', async () => {
  const body = await largePhoto();
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.api.identify(body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});
