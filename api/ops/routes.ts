import type { RequestHandler } from 'express';
import type { ApiSettings } from '../api-services';
import type { AnswerMemory } from '../middleware/answer-memory';
import { publicAddress } from '../middleware/links';
import { sendAnswer } from '../middleware/send-answer';
import { showHealth, showReadiness } from './health';
import type { Metrics } from './metrics';
import { buildOpenApi } from './openapi/document';

/** Routes for operators and tools; without a key, and served even while the process starts or stops. */
export const toolRoutes = (settings: ApiSettings, metrics: Metrics, answers: AnswerMemory) => ({
  checkHealth: showHealth,
  checkReadiness: showReadiness(settings),
  getMetrics: metrics.show,
  getOpenApi: showOpenApi(settings, answers),
});

/** The description of the API for tools, with the address of the request (or the public one) as its server. */
function showOpenApi(settings: ApiSettings, answers: AnswerMemory): RequestHandler {
  const document = buildOpenApi({
    records: settings.recordSchemas,
    admin: settings.adminToken !== undefined,
  });
  return async (req, res) => {
    const made = await answers.reserve(res, 'openapi');
    const url = publicAddress(req, settings)('/').replace(/\/$/, '');
    res.set('Cache-Control', 'no-cache');
    await sendAnswer(req, res, { ...document, servers: [{ url }] }, made);
  };
}
