import { app, jpegOf, MARKER, segment } from './jpeg';

const MARKER_DRI = 0xdd;
const BLOCKS = 16;

/**
 * A grey JPEG of 16 blocks side by side, each of another brightness and followed by a restart, built by hand: sharp writes
 * none with restarts.
 *
 * @param firstRestart number of the first restart, `modulus` how many numbers there are; 0 and 8 by the standard
 */
export function restartedJpeg({ firstRestart = 0, modulus = 8 } = {}): Buffer {
  const table = (kind: number, symbol: number): Buffer =>
    segment(MARKER.dht, Buffer.from([kind, 1, ...Array.from({ length: 15 }, () => 0), symbol]));
  // A difference of seven bits behind a code of one bit, then the end of the block: nine bits, padded with ones.
  const block = (index: number): Buffer => {
    const bits = `0${(64 + 4 * index).toString(2).padStart(7, '0')}0`.padEnd(16, '1');
    return Buffer.from([Number.parseInt(bits.slice(0, 8), 2), Number.parseInt(bits.slice(8), 2)]);
  };
  const data = Array.from({ length: BLOCKS }, (_, index) => [
    block(index),
    ...(index === BLOCKS - 1 ? [] : [Buffer.of(0xff, 0xd0 + ((firstRestart + index) % modulus))]),
  ]).flat();
  return jpegOf([
    segment(app(0), Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(MARKER.dqt, Buffer.from([0, ...Array.from({ length: 64 }, () => 8)])),
    segment(MARKER.sof0, Buffer.from([8, 0, 8, 0, 8 * BLOCKS, 1, 1, 0x11, 0])),
    table(0x00, 7),
    table(0x10, 0),
    segment(MARKER_DRI, Buffer.from([0, 1])),
    segment(MARKER.sos, Buffer.from([1, 1, 0, 0, 63, 0])),
    ...data,
  ]);
}
