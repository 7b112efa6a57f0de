import type { RequestHandler } from 'express';
import type { ApiSettings } from '../api-services';
import { publicAddress } from '../middleware/public-address';
import { buildOpenApi } from './openapi/document';

/** The description of the API for tools, with the address that it was asked at (or the public one) as its server. */
export function showOpenApi(settings: ApiSettings): RequestHandler {
  const document = buildOpenApi({ admin: settings.adminToken !== undefined });
  return (req, res) => {
    const url = publicAddress(req, settings)('/').replace(/\/$/, '');
    res.set('Cache-Control', 'no-cache').json({ ...document, servers: [{ url }] });
  };
}
