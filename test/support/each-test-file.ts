import { types } from 'node:util';

/** Jest gives each test file its own globals. This makes Node's errors `instanceof` the file's `Error`, as in production. */
const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return ordinary.call(this, value) || (this === Error && types.isNativeError(value));
  },
});

// A spy on a module of Node's would reach the files that follow.
beforeEach(() => jest.restoreAllMocks());
afterAll(() => jest.restoreAllMocks());
