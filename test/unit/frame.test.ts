import fc from 'fast-check';
import {
  dragged,
  type Frame,
  gripAt,
  isAtLeast,
  leastFrame,
  regionOf,
  unlessWhole,
  WHOLE,
  withEdge,
} from '../../api/site/client/photos/frame';

/** The frame that is drawn around an item on the page. */
const FRAME: Frame = { left: 0.2, top: 0.3, right: 0.6, bottom: 0.8 };
const REACH = { x: 0.05, y: 0.05 };
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: fraction, y: fraction });

describe('a frame', () => {
  test('is sent as a region', () => {
    expect(regionOf(FRAME)).toEqual({ x: 0.2, y: 0.3, width: 0.4, height: 0.5 });
  });

  test('around the whole picture is none', () => {
    expect(unlessWhole(WHOLE)).toBeNull();
    expect(unlessWhole(FRAME)).toBe(FRAME);
  });

  test.each([
    ['by its inside as a whole', { x: 0.4, y: 0.5 }, ['left', 'top', 'right', 'bottom']],
    ['by an edge', { x: 0.22, y: 0.5 }, ['left']],
    ['by a corner, from a little outside too', { x: 0.63, y: 0.83 }, ['right', 'bottom']],
    ['nowhere from the outside', { x: 0.9, y: 0.5 }, []],
  ])('is held %s', (_how, at, edges) => {
    expect(gripAt(FRAME, at, REACH)).toEqual(edges);
  });

  test('is drawn anew from corner to corner, in any direction', () => {
    const drawn = { left: 0.1, top: 0.2, right: 0.5, bottom: 0.9 };
    expect(dragged(FRAME, [], { x: 0.1, y: 0.2 }, { x: 0.5, y: 0.9 })).toEqual(drawn);
    expect(dragged(FRAME, [], { x: 0.5, y: 0.9 }, { x: 0.1, y: 0.2 })).toEqual(drawn);
  });

  test('that is moved keeps its size, and stays in the picture', () => {
    const all = gripAt(FRAME, { x: 0.4, y: 0.5 }, REACH);
    expect(dragged(FRAME, all, { x: 0.4, y: 0.5 }, { x: 1, y: 0 })).toEqual({
      ...{ left: 0.6, top: 0, right: 1, bottom: 0.5 },
    });
  });

  test('that is pulled at an edge keeps the others, and turns over where edges pass', () => {
    expect(dragged(FRAME, ['left'], { x: 0.2, y: 0.5 }, { x: 0.4, y: 0.9 })).toEqual({ ...FRAME, left: 0.4 });
    expect(dragged(FRAME, ['left'], { x: 0.2, y: 0.5 }, { x: 0.9, y: 0.5 })).toEqual({
      ...{ ...FRAME, left: 0.6, right: 0.9 },
    });
  });

  test('whose edge is set stops at the edge across and at the picture’s own', () => {
    const least = leastFrame(100, 100);
    expect(withEdge(FRAME, 'left', 0.99, least).left).toBe(0.44);
    expect(withEdge(FRAME, 'bottom', 0, least).bottom).toBe(0.46);
    expect(withEdge(FRAME, 'right', 2, least).right).toBe(1);
  });

  test('is as small as 16 pixels, and of a tiny picture the whole', () => {
    expect(leastFrame(100, 10)).toEqual({ x: 0.16, y: 1 });
    expect(isAtLeast(WHOLE, leastFrame(10, 10))).toBe(true);
    expect(isAtLeast(FRAME, { x: 0.5, y: 0.1 })).toBe(false);
  });

  test('is never outside of the picture, whatever is dragged where', () => {
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
});
