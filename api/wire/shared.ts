import { z } from 'zod';
import { API_VERSIONS, SCOPES } from '../../models/access/api-key';
import { MODULES, SORTS } from '../../models/catalog/catalog-query';
import { WEBHOOK_EVENTS } from '../../models/webhooks/webhook';

/** Values that requests and answers share; each is one named schema of `/openapi.json`. */
export const includeModule = z.enum(MODULES);
export const apiVersion = z.enum(API_VERSIONS);
export const scope = z.enum(SCOPES);
export const webhookEvent = z.enum(WEBHOOK_EVENTS);
export const sort = z.enum(SORTS);

/** JSON Schema of an object that has all of these; generators of code overlook it where it stands in `if`, `else` or `not`. */
export const having = (...names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: [...names],
  additionalProperties: true,
});
