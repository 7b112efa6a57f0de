import { reasonOf } from '../../db/embedded/engine-thread';

test.each([
  [{ name: 'ErrnoError', errno: 51 }, 'no space is left on its disk'],
  [{ name: 'ErrnoError', errno: 29 }, 'its files fail (WASI error 29)'],
  [new Error('a reason of its own'), 'a reason of its own'],
  ['another', 'another'],
])('a database that ends by %p says why', (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
