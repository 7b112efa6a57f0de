import sharp from 'sharp';
import { renderViews } from '../../workers/embedder/render-views';
import { tinyManifest } from './tiny-models';

/** Left half dark grey, right half light grey, without loss. */
const DARK = 64;
const LIGHT = 192;
const SIDE = 96;
const INSET = [0.05, 0.05, 0.9, 0.9] as const;

async function edge(): Promise<Buffer> {
  const pixels = Buffer.alloc(SIDE * SIDE * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = Math.floor(at / 3) % SIDE < SIDE / 2 ? DARK : LIGHT;
  }
  return sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
}

describe('a picture is resampled by the kernel of its model', () => {
  const input = { ...tinyManifest(3).input, width: 31, height: 31 };
  const extremes = async (
    kernel: 'linear' | 'mitchell' | 'cubic' | 'lanczos3' | undefined,
    view: readonly [number, number, number, number],
  ) => {
    const [pixels = new Uint8Array()] = await renderViews(await edge(), [view], {
      ...input,
      ...(kernel ? { kernel } : {}),
    });
    expect(pixels).toHaveLength(31 * 31 * 3);
    return [Math.min(...pixels), Math.max(...pixels)];
  };

  test.each([
    ['the whole', [0, 0, 1, 1]],
    ['a crop', INSET],
  ] as const)('%s', async (_what, view) => {
    // A linear kernel stays between the two greys; sharper ones overshoot at the edge.
    expect(await extremes('linear', view)).toEqual([DARK, LIGHT]);
    const [low = DARK, high = LIGHT] = await extremes('lanczos3', view);
    expect(low).toBeLessThan(DARK);
    expect(high).toBeGreaterThan(LIGHT);
    const [softer = 0] = await extremes('mitchell', view);
    expect(softer).toBeGreaterThan(low);
    expect(await extremes(undefined, view)).toEqual([low, high]);
  });
});
