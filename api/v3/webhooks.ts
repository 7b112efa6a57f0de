import type { Webhook } from '../../models/webhooks/webhook';
import { PUBLIC_HTTPS } from '../../models/webhooks/webhook-service';
import type { ApiServices, ApiSettings } from '../api-services';
import { byPathId, free, type Routes } from '../middleware/charged-answer';
import { setCreated } from '../middleware/links';
import { validate } from '../middleware/validate';
import { toHttpUrl } from '../wire/photos';
import { webhookBody } from './schema';

/** The webhook addresses of callers (contract 16.10). */
export const webhookRoutes = ({ webhooks }: ApiServices, settings: ApiSettings) =>
  ({
    listWebhooks: () =>
      free(async ({ caller }) => ({ data: (await webhooks.list(caller)).map(presentWebhook) })),
    createWebhook: (req, res) => {
      const { url, events, credits_below: creditsBelow = null } = validate(webhookBody, req.body);
      const wanted = { url: toHttpUrl(url, 'url', PUBLIC_HTTPS), events: [...new Set(events)], creditsBelow };
      const registered = free(async (call) => {
        const { secret, ...made } = await webhooks.register(call, wanted);
        setCreated(req, res, settings, `/v3/webhooks/${made.id}`);
        return { ...presentWebhook(made), secret };
      });
      // A repeat confirms the registration but does not return the secret again.
      return { ...registered, kept: (body) => ({ ...body, secret: null }) };
    },
    deleteWebhook: byPathId(async (id, { caller }) => {
      await webhooks.remove(caller, id);
      return { id };
    }),
  }) satisfies Partial<Routes>;

const presentWebhook = (each: Webhook) => ({
  id: each.id,
  key_id: each.keyId,
  url: each.url.href,
  events: [...each.events],
  credits_below: each.creditsBelow,
  created_at: each.createdAt.toISOString(),
  disabled_at: (each.keyEndedAt ?? each.disabledAt)?.toISOString() ?? null,
  failures: each.failures,
  last_failure: each.lastFailure,
});
