/** Jest runs the TypeScript as it is, through swc; `roots` names every folder with tests in it. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/', '<rootDir>/test/e2e/'],
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/one-error-realm.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: false },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // By default one less than there are processors, which on two means one.
  maxWorkers: '100%',
  testTimeout: 30_000,
};
