import childProcess from 'node:child_process';
import { once } from 'node:events';
import sharp from 'sharp';
import { decodePicture, type OutputForm } from '../../workers/image/decode-picture';
import { decodeIsolated } from '../../workers/image/isolated-decoder';

const PREPARED: OutputForm = { whole: { width: 640, height: 480 }, kernel: 'lanczos3', as: 'prepared' };
const PIXELS: OutputForm = { whole: { width: 300, height: 225 }, kernel: 'mitchell', as: 'pixels' };
const requestOf = (bytes: Buffer, wanted = PREPARED) => ({
  picture: { bytes, pixelsMax: 1_000_000, isSrgb: false },
  wanted,
});
let fork: jest.SpiedFunction<typeof childProcess.fork>;
let photo: Buffer;

beforeAll(async () => {
  const noise = Buffer.from(Array.from({ length: 800 * 600 * 3 }, (_, index) => (index * 31) % 251));
  photo = await sharp(noise, { raw: { width: 800, height: 600, channels: 3 } })
    .jpeg()
    .toBuffer();
});
beforeEach(() => {
  fork = jest.spyOn(childProcess, 'fork');
});
afterEach(async () => {
  const child = fork.mock.results.pop()?.value;
  if (child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
});

test.each([PREPARED, PIXELS])('they come out as in this process: $as', async (wanted) => {
  const request = requestOf(photo, wanted);
  const { data, ...size } = await decodeIsolated(request);
  const here = await decodePicture(request.picture, wanted);
  expect(size).toMatchObject({ width: here.width, height: here.height });
  expect(data.equals(here.data)).toBe(true);
});

test('a caller that gives up ends the process', async () => {
  const leaving = new AbortController();
  const left = decodeIsolated(requestOf(photo), leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ status: 422 });
});
