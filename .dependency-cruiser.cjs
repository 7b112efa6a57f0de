/** The folder tree is the architecture diagram; these rules keep it true (docs/architecture.md). */
const only = (name, module, folder) => ({
  name,
  severity: 'error',
  comment: `${module} is known only in ${folder}`,
  from: { path: '^(api|workers|models|db|scripts)/', pathNot: folder },
  to: { path: `node_modules/(${module})(/|$)` },
});

const never = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { path: `^(${to})/` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    never('models-are-pure', 'models', 'api|workers|db|scripts|test'),
    never('api-knows-models-only', 'api', 'workers|db|scripts|test'),
    never('workers-know-models-only', 'workers', 'api|db|scripts|test'),
    never('db-knows-models-only', 'db', 'api|workers|scripts|test'),
    never('scripts-do-not-know-tests', 'scripts', 'test'),
    {
      name: 'models-do-no-io',
      severity: 'error',
      from: { path: '^models/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|async_hooks)$' },
    },
    {
      name: 'the-product-does-not-know-the-lab',
      severity: 'error',
      comment: 'but for the demo and `catalog generate`, which draw a catalog',
      from: {
        path: '^(api|workers|models|db|scripts)/',
        pathNot: '^scripts/(lab/|demo\\.ts$|commands/generate\\.ts$)',
      },
      to: { path: '^scripts/lab/' },
    },
    {
      name: 'the-container-in-the-composition',
      severity: 'error',
      comment: 'commands get typed services of scripts/composition/services',
      from: { path: '^scripts/', pathNot: '^scripts/composition/' },
      to: { path: '^scripts/composition/(container|bindings|adapters|startup)\\.ts$' },
    },
    only('express-in-api', 'express|helmet|pino-http|@bull-board/express', '^api/'),
    only('sql-in-db', 'knex|pg|pg-copy-streams|pgvector|@electric-sql/[^/]+', '^db/'),
    only('s3-in-db', '@aws-sdk/[^/]+', '^db/files/'),
    only('mcp-in-scripts', '@modelcontextprotocol/[^/]+', '^scripts/mcp/'),
    only('models-in-workers', '@tensorflow/[^/]+|onnxruntime-node', '^workers/'),
    only('pictures-in-workers', 'sharp', '^(workers|scripts/lab)/'),
    only('queue-in-workers', 'bullmq', '^workers/'),
    only('traces-in-scripts', '@opentelemetry/[^/]+', '^scripts/composition/tracing/'),
    {
      name: 'zod-at-the-edges',
      severity: 'error',
      comment: 'a backup is a file that anybody may have written',
      from: { path: '^(models|db)/', pathNot: '^db/backup/archive\\.ts$' },
      to: { path: 'node_modules/zod/' },
    },
    {
      name: 'no-dev-dependencies-in-the-product',
      severity: 'error',
      from: { path: '^(api|workers|models|db|scripts)/', pathNot: '^scripts/lab/bench/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'nothing-undeclared',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
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
