import type { RequestHandler } from 'express';
import type { ApiSettings } from '../api-services';
import type { AnswerMemory } from '../middleware/answer-memory';
import { publicAddress } from '../middleware/links';
import { sendAnswer } from '../middleware/send-answer';
import { showHealth, showReadiness } from './health';
import type { Metrics } from './metrics';
import { buildOpenApi } from './openapi/document';

/** Routes for operators and tools; without a key, and served even while the process starts or stops. */
export function toolRoutes(settings: ApiSettings, metrics: Metrics, answers: AnswerMemory) {
  const document = buildOpenApi({
    records: settings.recordSchemas,
    admin: settings.adminToken !== undefined,
  });
  /** With the address of the request (or the public one) as its server. */
  const getOpenApi: RequestHandler = async (req, res) => {
    const made = await answers.reserve(res, 'openapi');
    const url = publicAddress(req, settings)('/').replace(/\/$/, '');
    res.set('Cache-Control', 'no-cache');
    await sendAnswer(req, res, { ...document, servers: [{ url }] }, made);
  };
  const checkReadiness = showReadiness(settings);
  return { checkHealth: showHealth, checkReadiness, getMetrics: metrics.show, getOpenApi };
}
