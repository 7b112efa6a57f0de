/** The folder tree is the architecture diagram; these rules keep it true (docs/architecture.md). */
const PRODUCT = '^(api|workers|models|db|scripts)/';

const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

const only = (name, module, folder) =>
  forbid(
    name,
    { path: PRODUCT, pathNot: folder },
    { path: `node_modules/(${module})(/|$)` },
    `${module} is known only in ${folder}`,
  );

const never = (name, from, to) => forbid(name, { path: `^${from}/` }, { path: `^(${to})/` });

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }),
    { ...forbid('no-folder-cycles', {}, { circular: true }), scope: 'folder' },
    never('models-are-pure', 'models', 'api|workers|db|scripts|test'),
    never('api-knows-models-only', 'api', 'workers|db|scripts|test'),
    never('workers-know-models-only', 'workers', 'api|db|scripts|test'),
    never('db-knows-models-only', 'db', 'api|workers|scripts|test'),
    never('scripts-do-not-know-tests', 'scripts', 'test'),
    forbid(
      'models-do-no-io',
      { path: '^models/' },
      { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|async_hooks)$' },
    ),
    forbid(
      'the-product-does-not-know-the-lab',
      { path: PRODUCT, pathNot: '^scripts/(lab/|demo\\.ts$|commands/generate\\.ts$)' },
      { path: '^scripts/lab/' },
      'but for the demo and `catalog generate`, which draw a catalog',
    ),
    forbid(
      'the-container-in-the-composition',
      { path: '^scripts/', pathNot: '^scripts/composition/' },
      { path: '^scripts/composition/(container|bindings|adapters|startup)\\.ts$' },
      'commands get typed services of scripts/composition/services',
    ),
    only('express-in-api', 'express|helmet|@bull-board/express', '^api/'),
    only('sql-in-db', 'knex|pg|pg-copy-streams|pgvector|@electric-sql/[^/]+', '^db/'),
    only('s3-in-db', '@aws-sdk/[^/]+', '^db/files/'),
    only('mcp-in-scripts', '@modelcontextprotocol/[^/]+', '^scripts/mcp/'),
    only('models-in-workers', '@tensorflow/[^/]+|onnxruntime-node', '^workers/'),
    only('pictures-in-workers', 'sharp', '^(workers|scripts/lab)/'),
    only('queue-in-workers', 'bullmq', '^workers/'),
    only('traces-in-scripts', '@opentelemetry/[^/]+', '^scripts/composition/tracing/'),
    forbid(
      'zod-at-the-edges',
      { path: '^(models|db)/', pathNot: '^db/backup/archive\\.ts$' },
      { path: 'node_modules/zod/' },
      'a backup is a file that anybody may have written',
    ),
    forbid(
      'no-dev-dependencies-in-the-product',
      { path: PRODUCT, pathNot: '^scripts/lab/bench/' },
      { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    ),
    forbid('nothing-undeclared', {}, { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'types', 'default'],
    },
  },
};
