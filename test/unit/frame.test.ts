import fc from 'fast-check';
import {
  dragged,
  type Frame,
  gripAt,
  isAtLeast,
  leastFrame,
  regionOf,
  WHOLE,
  withEdge,
} from '../../api/site/client/photos/frame';

/** The frame that is drawn around an item on the page; what is sent of it: `test/e2e/identify-more.test.ts`. */
const FRAME: Frame = { left: 0.2, top: 0.3, right: 0.6, bottom: 0.8 };
const REACH = { x: 0.05, y: 0.05 };
const ALL = ['left', 'top', 'right', 'bottom'] as const;
const at = (x: number, y: number) => ({ x, y });

test.each([
  ['by its inside as a whole', at(0.4, 0.5), ALL],
  ['by an edge', at(0.22, 0.5), ['left']],
  ['by a corner, from a little outside too', at(0.63, 0.83), ['right', 'bottom']],
  ['nowhere from the outside', at(0.9, 0.5), []],
])('a frame is held %s', (_how, point, edges) => {
  expect(gripAt(FRAME, point, REACH)).toEqual(edges);
});

const DRAWN = { left: 0.1, top: 0.2, right: 0.5, bottom: 0.9 };
const MOVED = { left: 0.6, top: 0, right: 1, bottom: 0.5 };

test.each([
  ['is drawn anew from corner to corner', [], at(0.1, 0.2), at(0.5, 0.9), DRAWN],
  ['is drawn anew in any direction', [], at(0.5, 0.9), at(0.1, 0.2), DRAWN],
  ['that is moved keeps its size and stays in the picture', ALL, at(0.4, 0.5), at(1, 0), MOVED],
  [
    'that is pulled at an edge keeps the others',
    ['left'],
    at(0.2, 0.5),
    at(0.4, 0.9),
    { ...FRAME, left: 0.4 },
  ],
  ['turns over where edges pass', ['left'], at(0.2, 0.5), at(0.9, 0.5), { ...FRAME, left: 0.6, right: 0.9 }],
] as const)('a frame %s', (_how, edges, from, to, expected) => {
  expect(dragged(FRAME, edges, from, to)).toEqual(expected);
});

test('a frame whose edge is set stops at the edge across and at the picture’s own', () => {
  const least = leastFrame(100, 100);
  expect(withEdge(FRAME, 'left', 0.99, least).left).toBe(0.44);
  expect(withEdge(FRAME, 'bottom', 0, least).bottom).toBe(0.46);
  expect(withEdge(FRAME, 'right', 2, least).right).toBe(1);
});

test('a frame is as small as 16 pixels, and of a tiny picture the whole', () => {
  expect(leastFrame(100, 10)).toEqual({ x: 0.16, y: 1 });
  expect(isAtLeast(WHOLE, leastFrame(10, 10))).toBe(true);
  expect(isAtLeast(FRAME, { x: 0.5, y: 0.1 })).toBe(false);
});

test('a frame is never outside of the picture, whatever is dragged where', () => {
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
