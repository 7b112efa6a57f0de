import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Webhook } from '../../models/webhooks/webhook';
import type { ApiServices } from '../api-services';
import type { AnswerCharged } from '../middleware/charged-answer';
import type { EndpointMiddleware } from '../middleware/endpoint-middleware';
import { mountRoute } from '../middleware/mount-route';
import { refuseBrokenText } from '../middleware/parse-json-object';
import { pathParameter } from '../middleware/path-parameter';
import type { Answer } from '../middleware/send-rows';
import { validate } from '../middleware/validate';
import { PATHS } from '../paths';
import { toHttpUrl } from '../wire/image-input';
import type { webhook, webhookAnswer, webhookRemoved, webhooksAnswer } from './answers';
import { webhookBody } from './schema';

/** Addresses that callers are told at what happens (contract 16.10). */
export function mountWebhooks(
  router: IRouter,
  middleware: EndpointMiddleware,
  { webhooks }: ApiServices,
  answer: AnswerCharged,
): void {
  const free =
    (make: (accountId: string, req: Request, res: Response) => Promise<Answer>): RequestHandler =>
    (req, res) =>
      answer(req, res, 'v3.webhooks', async ({ caller }) => ({
        value: await make(caller.accountId, req, res),
        price: 0,
      }));
  mountRoute(router, PATHS.createWebhook, {
    post: [
      ...middleware.registration('v3'),
      free(async (accountId, req, res) => {
        const { url, events, credits_below: creditsBelow = null } = validate(webhookBody, req.body);
        const wanted = { url: toHttpUrl(url, 'url'), events: [...new Set(events)], creditsBelow };
        const { secret, ...made } = await webhooks.register(accountId, wanted);
        res.status(201);
        return { success: true, ...presentWebhook(made), secret } satisfies z.input<typeof webhookAnswer>;
      }),
    ],
    get: [
      ...middleware.overview('v3'),
      free(async (accountId) => {
        const data = (await webhooks.list(accountId)).map(presentWebhook);
        return { success: true, data } satisfies z.input<typeof webhooksAnswer>;
      }),
    ],
  });
  mountRoute(router, PATHS.removeWebhook, {
    delete: [
      ...middleware.overview('v3'),
      free(async (accountId, req) => {
        const id = pathParameter(req, 'id');
        refuseBrokenText(id, 'id');
        await webhooks.remove(accountId, id);
        return { success: true, id } satisfies z.input<typeof webhookRemoved>;
      }),
    ],
  });
}

const presentWebhook = (each: Webhook): z.input<typeof webhook> => ({
  id: each.id,
  url: each.url.href,
  events: [...each.events],
  credits_below: each.creditsBelow,
  created_at: each.createdAt.toISOString(),
  disabled_at: each.disabledAt?.toISOString() ?? null,
  failures: each.failures,
  last_failure: each.lastFailure,
});
