const common = require('../../jest.config.js');

/** Behave alike on every adapter: forms of requests and answers, matches of photos, and sums. `every-endpoint` still calls each endpoint. */
const WITHOUT_ADAPTERS = [
  'spec/(account|admin|catalog-answers|credits|data-files|errors|golden-queries|identifiability|identify)',
  'spec/(items|legacy|mcp|odd-characters|openapi|pages|refusals|sandbox|search-misses|shop-guide|site|variants|wire)',
];

/** `npm run test:services`: the tests that speak to a database or a queue, on a real PostgreSQL and Redis, and `test/faults`. */
module.exports = {
  ...common,
  rootDir: '../..',
  roots: ['service', 'spec', 'contracts', 'db', ...(process.env.TEST_FAULTS ? ['faults'] : [])].map(
    (folder) => `<rootDir>/test/${folder}`,
  ),
  // The fault tests mostly wait.
  maxWorkers: common.maxWorkers + 1,
  testPathIgnorePatterns: [
    '/node_modules/',
    ...WITHOUT_ADAPTERS.map((names) => `<rootDir>/test/${names}\\.test`),
  ],
};
