/** The addresses of the API, each with its aliases; `:name` marks a part that varies (contract 4, 9.3). */
export const PATHS = {
  queryCatalog: ['/v3/catalog/query', '/api/v3/catalog/search', '/api/v3/catalog/query'],
  showItem: ['/v3/catalog/items/:id', '/api/v3/catalog/items/:id'],
  showSimilar: ['/v3/catalog/items/:id/similar'],
  showItems: ['/v3/catalog/items'],
  identify: ['/v3/vision/identify', '/api/v3/vision/identify'],
  correct: ['/v3/vision/predictions/:id/feedback', '/api/v3/vision/predictions/:id/feedback'],
  listProductsV1: ['/v1/products'],
  listProductsV2: ['/v2/products'],
  identifyV2: ['/v2/vision'],
  dataFile: ['/files/:kind/:variantId/:file'],
  image: ['/images/:file'],
  health: ['/healthz'],
  readiness: ['/readyz'],
  metrics: ['/metrics'],
  openApi: ['/openapi.json'],
} as const;

/** What callers use, by the start of the address; everything else is for operators and readers. */
export const PUBLIC_PREFIXES = ['/v1', '/v2', '/v3', '/api/v3', '/files', '/images'];
