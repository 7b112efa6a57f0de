/** The addresses of the API, each with its aliases; `:name` marks a part that varies (contract 4, 9.3). */
export const PATHS = {
  queryCatalog: ['/v3/catalog/query', '/api/v3/catalog/search', '/api/v3/catalog/query'],
  showItem: ['/v3/catalog/items/:id', '/api/v3/catalog/items/:id'],
  showSimilar: ['/v3/catalog/items/:id/similar'],
  showItems: ['/v3/catalog/items'],
  showOwnAccount: ['/v3/account'],
  suggest: ['/v3/catalog/suggest'],
  identify: ['/v3/vision/identify', '/api/v3/vision/identify'],
  correct: ['/v3/vision/predictions/:id/feedback', '/api/v3/vision/predictions/:id/feedback'],
  listProductsV1: ['/v1/products'],
  listProductsV2: ['/v2/products'],
  identifyV2: ['/v2/vision'],
  listAccounts: ['/admin/v1/accounts'],
  createAccount: ['/admin/v1/accounts'],
  showAccount: ['/admin/v1/accounts/:id'],
  creditAccount: ['/admin/v1/accounts/:id/credits'],
  keepPhotos: ['/admin/v1/accounts/:id/keep-photos'],
  showUsage: ['/admin/v1/accounts/:id/usage'],
  listKeys: ['/admin/v1/accounts/:id/keys'],
  createKey: ['/admin/v1/accounts/:id/keys'],
  rotateKey: ['/admin/v1/keys/:id/rotate'],
  revokeKey: ['/admin/v1/keys/:id'],
  showAuditLog: ['/admin/v1/audit'],
  dataFile: ['/files/:kind/:variantId/:file'],
  image: ['/images/:file'],
  health: ['/healthz'],
  readiness: ['/readyz'],
  metrics: ['/metrics'],
  openApi: ['/openapi.json'],
} as const;

/** What callers use, by the start of the address; everything else is for operators and readers. */
export const PUBLIC_PREFIXES = ['/v1', '/v2', '/v3', '/api/v3', '/files', '/images'];
