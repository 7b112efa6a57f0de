const { availableParallelism } = require('node:os');

/** Jest runs the TypeScript as it is, through swc; `roots` names every folder with tests in it. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/worker-environment.ts',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/', '<rootDir>/test/e2e/'],
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // In Jest's sandbox each use of a global is a slow call; as arguments of a module they are as fast as outside.
  sandboxInjectedGlobals: [
    ...['Array', 'BigInt', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Set', 'String'],
    ...['Float32Array', 'Float64Array', 'Int32Array', 'Uint16Array', 'Uint32Array', 'Uint8Array'],
  ],
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/support/each-test-file.ts'],
  transform: {
    '^.+\\.[jt]s$': [
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
  // Published as ES modules only, which Jest can't load as they are.
  transformIgnorePatterns: ['/node_modules/(?!(p-map|p-retry|is-network-error)/)'],
  // One more than there are processors, since many tests wait for other processes.
  maxWorkers: availableParallelism() + 1,
  // A slow test on a busy machine has not hung.
  testTimeout: 240_000,
};
