import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { ApiClient } from '../support/api-client';
import { holdMethod } from '../support/hold-method';
import { ADMIN_TOKEN, OperatorClient } from '../support/operator-client';
import { useService } from '../support/service';

/** contract 17.6, 17.7: every change of an operator is noted, and no credit is given twice. */
const service = useService({ ADMIN_TOKEN });
const operator = new OperatorClient(() => service.url);
const as = (token: string | null) => new ApiClient(service.url, token);

interface Entry {
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

describe('the audit log', () => {
  const entriesOf = async (id: string): Promise<Entry[]> =>
    (await operator.get<{ entries: Entry[] }>(`/audit?account=${id}`)).body.entries;

  // contract 17.6, 14.8
  test('has every change, by admin, with the request id and without a secret', async () => {
    const requestId = 'operators-tool-0001';
    const headers = { 'X-Request-Id': requestId };
    const made = await operator.post<{ account: { id: string } }>(
      '/accounts',
      { name: 'a', credits: 1 },
      headers,
    );
    const { id } = made.body.account;
    await operator.post(`/accounts/${id}/credits`, { amount: 2, note: 'why' }, headers);
    await operator.post(`/accounts/${id}/keep-photos`, { keep: true }, headers);
    const { body } = await operator.post<{ key: { id: string }; secret: string }>(
      `/accounts/${id}/keys`,
      { name: 'k', versions: ['v3'] },
      headers,
    );
    await operator.post(`/keys/${body.key.id}/rotate`, {}, headers);
    await operator.revoke(body.key.id, headers);
    const entries = await entriesOf(id);
    expect(entries.map(({ action }) => action)).toEqual([
      'keys revoke',
      'keys rotate',
      'keys create',
      'accounts keep-photos',
      'accounts credit',
      'accounts create',
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ actor: 'admin', details: { requestId } });
    expect(entries[4]).toMatchObject({
      subject: id,
      details: { amount: 2, credits: 3, note: 'why', requestId },
    });
    expect(JSON.stringify(entries)).not.toContain(body.secret);
  });

  // contract 17.6
  test('has nothing of what was refused or only read', async () => {
    const id = await operator.account(1);
    await operator.post(`/accounts/${id}/credits`, { amount: -2 });
    await operator.get(`/accounts/${id}`);
    expect((await entriesOf(id)).map(({ action }) => action)).toEqual(['accounts create']);
  });
});

// contract 17.7
describe('a credit with an Idempotency-Key', () => {
  const credit = (id: string, name: string, body: object = { amount: 10 }) =>
    operator.post(`/accounts/${id}/credits`, body, { 'Idempotency-Key': name });

  test('is done once, however often it is sent, also at the same time', async () => {
    const id = await operator.account(0);
    const answers = await Promise.all(Array.from({ length: 5 }, () => credit(id, 'invoice-17')));
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, { success: true, account: id, amount: 10, credits: 10 }]);
    }
    const replayed = answers.filter(({ headers }) => headers.get('Idempotency-Replayed') === 'true');
    expect(replayed).toHaveLength(4);
    expect(await service.balance(id)).toBe(10);
    const { body } = await operator.get<{ entries: Entry[] }>(`/audit?account=${id}`);
    expect(body.entries.filter(({ action }) => action === 'accounts credit')).toHaveLength(1);
  });

  test('stands for its body and its account: another body is 409, another account another credit', async () => {
    const [id, other] = [await operator.account(0), await operator.account(0)];
    expect((await credit(id, 'one')).status).toBe(200);
    expect((await credit(id, 'one', { amount: 11 })).status).toBe(409);
    expect((await credit(other, 'one')).body).toMatchObject({ account: other, credits: 10 });
    expect((await credit('account_nobody', 'one')).status).toBe(404);
    expect((await credit(id, 'a b')).status).toBe(400);
    expect(await service.balance(id)).toBe(10);
  });

  test('that was refused may be sent again under its name once it is mended', async () => {
    const id = await operator.account(0);
    expect((await credit(id, 'again', { amount: -5 })).status).toBe(400);
    await operator.post(`/accounts/${id}/credits`, { amount: 5 });
    expect(await credit(id, 'again', { amount: -5 })).toMatchObject({ status: 200, body: { credits: 0 } });
  });

  test('has a name of its own beside those of the calls of the account', async () => {
    const id = await operator.account(100);
    const { secret } = await operator.key(id);
    const named = { headers: { 'Idempotency-Key': 'shared' } };
    expect((await credit(id, 'shared')).status).toBe(200);
    const call = await as(secret).send('POST', '/v3/catalog/query', { body: {}, ...named });
    expect([call.status, call.headers.get('Idempotency-Replayed')]).toEqual([200, null]);
    expect(await service.balance(id)).toBe(109);
  });

  test('whose caller hung up before it was done is credited at most once', async () => {
    const id = await operator.account(0);
    const gone = new AbortController();
    const held = holdMethod(PostgresCreditLedger.prototype, 'topUp');
    const sent = as(ADMIN_TOKEN).send('POST', `/admin/v1/accounts/${id}/credits`, {
      body: { amount: 10 },
      headers: { 'Idempotency-Key': 'gone' },
      signal: gone.signal,
    });
    await held.waiting(1);
    gone.abort();
    await expect(sent).rejects.toThrow();
    held.letGo();
    expect((await credit(id, 'gone')).body).toMatchObject({ credits: 10 });
    expect(await service.balance(id)).toBe(10);
  });
});
