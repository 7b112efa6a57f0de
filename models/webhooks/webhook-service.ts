import { inject, injectable } from 'tsyringe';
import type { Owner } from '../access/api-key';
import { badRequest, conflict, notFound } from '../errors';
import { type IdSource, PORTS, type WebhookSender, type WebhookStore } from '../ports';
import { makeWebhookSecret } from './message-signature';
import type { Webhook, WebhookRegistration } from './webhook';

/** Addresses of an owner at most (contract 16.10). */
const WEBHOOKS_MAX = 10;

/** The addresses that an account is told at (contract 16.10). */
@injectable()
export class WebhookService {
  constructor(
    @inject(PORTS.WebhookStore) private readonly webhooks: WebhookStore,
    @inject(PORTS.WebhookSender) private readonly sender: WebhookSender,
    @inject(PORTS.IdSource) private readonly ids: IdSource,
  ) {}

  /**
   * Registers an address, with a secret that is shown once.
   *
   * @throws AppError 400 for an address that nothing may be sent to, 409 when the account has too many
   */
  async register(
    { accountId, test }: Owner,
    wanted: WebhookRegistration,
  ): Promise<Webhook & { secret: string }> {
    if (!this.sender.accepts(wanted.url)) {
      throw badRequest('url: must be the https address of a public host.', { field: 'url' });
    }
    const secret = makeWebhookSecret();
    const id = `webhook_${this.ids.next()}`;
    const made = await this.webhooks.add({ ...wanted, id, accountId, test, secret }, WEBHOOKS_MAX);
    if (!made) throw conflict(`An account has at most ${WEBHOOKS_MAX} webhooks; remove one.`);
    return { ...made, secret };
  }

  list(owner: Owner): Promise<readonly Webhook[]> {
    return this.webhooks.list(owner);
  }

  /** @throws AppError 404 for one that there is not, or that is somebody else's */
  async remove(owner: Owner, id: string): Promise<void> {
    if (await this.webhooks.remove(owner, id)) return;
    throw notFound(`There is no webhook "${id}" of this account.`);
  }
}
