const common = require('../../jest.config.js');

/** `npm run test:e2e`: the page in a real browser, against the demonstration as `npm run demo` starts it. */
module.exports = {
  ...common,
  rootDir: '../..',
  roots: ['<rootDir>/test/e2e'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/e2e/start-demo.ts',
  globalTeardown: '<rootDir>/test/e2e/stop-demo.ts',
  maxWorkers: 1,
};
