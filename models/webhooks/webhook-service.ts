import { randomUUID } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import type { Caller, Owner } from '../access/api-key';
import type { CallContext } from '../access/billing';
import { badRequest, conflict, notFound } from '../errors';
import { type AuditEntry, PORTS, type WebhookSender, type WebhookStore } from '../ports';
import { onceAborted } from '../promises';
import { generateWebhookSecret } from './message-signature';
import type { Webhook, WebhookRegistration } from './webhook';

const WEBHOOKS_MAX = 10;
/** What is accepted (contract 16.11). */
export const PUBLIC_HTTPS = 'the https address of a public host';

type Registrar = Pick<Caller, 'accountId' | 'test' | 'keyId'>;

const entryOf = (
  { accountId, keyId }: Registrar,
  action: string,
  subject: string,
  details: AuditEntry['details'] = {},
): AuditEntry => ({ actor: `key ${keyId}`, action, accountId, subject, details });

@injectable()
export class WebhookService {
  constructor(
    @inject(PORTS.WebhookStore) private readonly webhooks: WebhookStore,
    @inject(PORTS.WebhookSender) private readonly sender: WebhookSender,
  ) {}

  /** With a secret that is shown once. @throws AppError 400 for an address that nothing may be sent to, 409 for too many */
  async register({ caller, signal }: Pick<CallContext, 'caller' | 'signal'>, wanted: WebhookRegistration) {
    if (!this.sender.accepts(wanted.url)) {
      throw badRequest(`url: must be ${PUBLIC_HTTPS}.`, { field: 'url' });
    }
    const secret = generateWebhookSecret();
    const id = `webhook_${randomUUID()}`;
    const { accountId, test, keyId } = caller;
    const added = { ...wanted, id, accountId, test, keyId, secret };
    // An address may hold a secret of its host.
    const details = { host: wanted.url.host, events: wanted.events };
    const entry = entryOf(caller, 'webhooks register', id, details);
    const made = await this.webhooks.add(added, WEBHOOKS_MAX, entry);
    if (!made) throw conflict(`An account has at most ${WEBHOOKS_MAX} webhooks; remove one.`);
    // A caller that disconnects before the answer does not know the secret, and registers again.
    onceAborted(signal, () => this.remove(caller, id));
    return { ...made, secret };
  }

  list(owner: Owner): Promise<readonly Webhook[]> {
    return this.webhooks.list(owner);
  }

  /** @throws AppError 404 for an unknown one, or one of another owner */
  async remove(caller: Registrar, id: string): Promise<void> {
    if (await this.webhooks.remove(caller, id, entryOf(caller, 'webhooks remove', id))) return;
    throw notFound(`There is no webhook "${id}" of this account.`);
  }
}
