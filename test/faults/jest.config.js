const common = require('../../jest.config.js');

/** `npm run test:faults`: parts of the service are killed and paused under load. */
module.exports = {
  ...common,
  rootDir: '../..',
  roots: ['<rootDir>/test/faults'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  forceExit: true,
};
