import type { ApiSettings } from '../api-services';

export function buildOpenApi(_settings: ApiSettings): Record<string, unknown> {
  return { openapi: '3.1.0' };
}
