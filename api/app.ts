import { parse as parseQuery } from 'node:querystring';
import express, { type Express } from 'express';
import helmet from 'helmet';
import { runAsParty } from '../models/access/fair-budget';
import { unavailable } from '../models/errors';
import { operatorRoutes } from './admin/routes';
import type { ApiServices, ApiSettings } from './api-services';
import { docsPage } from './docs/routes';
import { CALLS, FILES, OPERATORS, TOOLS } from './endpoints';
import { sendDataFile } from './files/data-file';
import { sendImage } from './files/image';
import { legacyRoutes } from './legacy/routes';
import { allowOrigins } from './middleware/allow-origins';
import { AnswerMemory } from './middleware/answer-memory';
import { networkOf } from './middleware/authenticate';
import { compress } from './middleware/compress';
import { buildEndpoints } from './middleware/endpoint-kinds';
import { errorHandler, unknownRoute } from './middleware/error-handler';
import { mountEndpoints } from './middleware/mount-route';
import { readAddress } from './middleware/request-address';
import { requestLog } from './middleware/request-log';
import { Metrics } from './ops/metrics';
import { toolRoutes } from './ops/routes';
import { jobRoutes } from './v3/jobs';
import { recordRoutes } from './v3/records';
import { coreRoutes } from './v3/routes';
import { webhookRoutes } from './v3/webhooks';

/**
 * The whole service over HTTP. The order here and in `mountApi` is the security policy: every request is named, logged, measured
 * and gets its protective headers, before its endpoint (`middleware/endpoint-kinds.ts`) or the error handler.
 * @param services null in a process without an API, which answers only health, readiness and metrics
 */
export function createApp(services: ApiServices | null, settings: ApiSettings): Express {
  const metrics = new Metrics(settings.gauges);
  const app = express();
  app.set('trust proxy', settings.trustProxyHops);
  app.set('etag', false);
  // Express would answer conditional requests with 304 even so, which is a charge without an answer (contract 12.3).
  Object.defineProperty(app.request, 'fresh', { value: false });
  // All parameters count: a silently dropped filter would answer with rows that were excluded.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }));

  app.use((req, _res, next) => runAsParty(`from ${networkOf(req.ip ?? '')}`, next));
  app.use(requestLog(settings.logger));
  app.use(metrics.measure);
  app.use(helmet(PROTECTION));
  // A plain HTTP address must not promise TLS for its host; `TRUST_PROXY` tells whether a proxy in front has it.
  const promiseTls = helmet.strictTransportSecurity();
  app.use((req, res, next) => (req.secure ? promiseTls(req, res, next) : next()));
  app.use(readAddress);
  app.use(allowOrigins(settings.corsOrigins));
  app.use(compress);

  const answers = new AnswerMemory(settings.answerBytes);
  mountEndpoints(app, TOOLS, toolRoutes(settings, metrics, answers), (_endpoint, handler) => handler);
  if (services) mountApi(app, services, settings, metrics, answers);

  app.use(unknownRoute);
  app.use(errorHandler(services?.accounts ?? null));
  return app;
}

function mountApi(
  app: Express,
  services: ApiServices,
  settings: ApiSettings,
  metrics: Metrics,
  answers: AnswerMemory,
): void {
  // While the process starts or stops; a stopping process also asks its callers to reconnect.
  app.use((_req, res, next) => {
    const state = settings.lifecycle();
    if (state === 'ready') return next();
    if (state === 'stopping') res.setHeader('Connection', 'close');
    throw unavailable(`The service is ${state}; try again.`, state === 'starting' ? 2 : 1);
  });
  const files = { getDataFile: sendDataFile(services, answers), getImage: sendImage(services, answers) };
  mountEndpoints(app, FILES, files, (_endpoint, handler) => handler);
  const { caller, operator } = buildEndpoints(services, settings, answers);
  const calls = {
    ...coreRoutes(services, settings, metrics),
    ...recordRoutes(services, settings),
    ...jobRoutes(services, settings),
    ...webhookRoutes(services, settings),
    ...legacyRoutes(services, settings, metrics),
  };
  mountEndpoints(app, CALLS, calls, caller);
  if (settings.adminToken !== undefined) {
    mountEndpoints(app, OPERATORS, operatorRoutes(services, settings), operator);
  }
  app.use(docsPage());
  if (settings.queues) app.use('/queues', settings.queues);
  for (const page of settings.pages ?? []) app.use(page);
}

/** An API returns only data: nothing in an answer may run, load or be framed. Images may be shown anywhere. */
const PROTECTION = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  // As `frame-ancestors` says.
  xFrameOptions: { action: 'deny' },
  strictTransportSecurity: false,
} as const;
