import { types } from 'node:util';

/**
 * Jest gives each test file globals of its own, so an error that Node itself throws is no `instanceof Error` of the
 * file's, unlike in production. This makes it one; subclasses are told apart as always.
 */
const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return ordinary.call(this, value) || (this === Error && types.isNativeError(value));
  },
});
