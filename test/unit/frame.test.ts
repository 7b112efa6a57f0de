import fc from 'fast-check';
import { dragged, gripAt, isAtLeast, leastFrame, regionOf, WHOLE } from '../../api/site/client/photos/frame';

/** The frame that is drawn around an item on the page; how it is used: `test/e2e/identify-more.test.ts`. */
const FRAME = { left: 0.2, top: 0.3, right: 0.6, bottom: 0.8 };
const REACH = { x: 0.05, y: 0.05 };
const at = (x: number, y: number) => ({ x, y });

test.each([
  ['by its inside as a whole', at(0.4, 0.5), ['left', 'right', 'top', 'bottom']],
  ['by an edge', at(0.22, 0.5), ['left']],
  ['by a corner, from a little outside too', at(0.63, 0.83), ['right', 'bottom']],
  ['nowhere from the outside', at(0.9, 0.5), []],
])('a frame is held %s', (_how, point, edges) => {
  expect(gripAt(FRAME, point, REACH)).toEqual(edges);
});

test('a frame that is pulled by an edge flips where edges cross', () => {
  const turned = { ...FRAME, left: 0.6, right: 0.9 };
  expect(dragged(FRAME, ['left'], at(0.2, 0.5), at(0.9, 0.5))).toEqual(turned);
});

test('a frame is at least 16 pixels, or the whole of a tiny picture', () => {
  expect(leastFrame(100, 10)).toEqual({ x: 0.16, y: 1 });
  expect(isAtLeast(WHOLE, leastFrame(10, 10))).toBe(true);
  expect(isAtLeast(FRAME, { x: 0.5, y: 0.1 })).toBe(false);
});

test('a frame never leaves the picture, wherever it is dragged', () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const point = fc.record({ x: fraction, y: fraction });
  fc.assert(
    fc.property(point, point, point, point, (a, b, from, to) => {
      const frame = dragged(WHOLE, [], a, b);
      const { x, y, width, height } = regionOf(dragged(frame, gripAt(frame, from, REACH), from, to));
      for (const each of [x, y, width, height, x + width, y + height]) {
        expect(each).toBeGreaterThanOrEqual(0);
        expect(each).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});
