import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { ADMIN_TOKEN, ApiClient, OperatorClient } from '../support/api-client';
import { holdMethod } from '../support/interrupted-calls';
import { useService } from '../support/service';

/** contract 17: accounts, keys, usage and the audit log over HTTP, and who may use them. */
type Body = Record<string, unknown>;

describe('with ADMIN_TOKEN', () => {
  const service = useService({ ADMIN_TOKEN, CORS_ORIGINS: '*' });
  const operator = new OperatorClient(() => service.url);
  const as = (token: string | null) => new ApiClient(service.url, token);
  const opens = async (secret: string): Promise<number> => (await as(secret).query({})).status;
  const entriesOf = async (id: string) =>
    (await operator.get<{ entries: { action: string }[] }>(`/audit?account=${id}`)).body.entries;

  // contract 17.2
  test('only the token opens it, with the scheme in any case, and it opens nothing else', async () => {
    const { key: live } = await service.newKey();
    const message = expect.stringContaining('ADMIN_TOKEN of the service');
    for (const wrong of ['x', `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1), ADMIN_TOKEN.toUpperCase(), live]) {
      const refused = await as(wrong).send('GET', '/admin/v1/accounts');
      expect(refused).toMatchObject({ status: 401, body: { error: 'unauthorized', message } });
      expect(refused.text).not.toContain(ADMIN_TOKEN);
    }
    const headers = { Authorization: `bearer ${ADMIN_TOKEN}` };
    const right = await as(null).send('GET', '/admin/v1/accounts', { headers });
    expect([right.status, right.headers.get('Cache-Control')]).toEqual([200, 'no-store']);
    expect(await opens(ADMIN_TOKEN)).toBe(401);
  });

  // contract 17.2, 9.6
  test('pages of other origins cannot read it, and no credential is logged', async () => {
    const origin = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' };
    const preflight = await fetch(`${service.url}/admin/v1/accounts`, { method: 'OPTIONS', headers: origin });
    const answer = await as(ADMIN_TOKEN).send('GET', '/admin/v1/accounts', { headers: origin });
    expect([preflight.status, answer.status]).toEqual([405, 200]);
    for (const { headers } of [preflight, answer])
      expect(headers.has('Access-Control-Allow-Origin')).toBe(false);
    service.log.clear();
    const { secret } = await operator.key(await operator.account());
    await as(ADMIN_TOKEN).send('GET', '/admin/v1/nowhere');
    const lines = JSON.stringify(await service.log.lines(3));
    expect(lines).toContain('/admin/v1/accounts');
    for (const credential of [ADMIN_TOKEN, secret]) expect(lines).not.toContain(credential);
  });

  // contract 17.8, 11.3
  test('unknown ids are a 404, and bodies are read as in v3', async () => {
    const nobody = '/accounts/account_nobody';
    const unlimited = `/accounts/${await operator.account(null)}`;
    for (const answer of [
      ...(await Promise.all(
        [nobody, `${nobody}/usage`, `${nobody}/keys`, '/nowhere'].map((path) => operator.get(path)),
      )),
      ...(await Promise.all([nobody, unlimited].map((at) => operator.post(`${at}/credits`, { amount: 1 })))),
      await operator.post(`${nobody}/keys`, { name: 'a', versions: ['v3'] }),
      await operator.post('/keys/key_nobody/rotate', {}),
      await operator.revoke('key_nobody'),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    const sending = { raw: 'name=a', headers: { 'Content-Type': 'text/plain' } };
    expect((await as(ADMIN_TOKEN).send('POST', '/admin/v1/accounts', sending)).status).toBe(415);
  });

  // contract 17.3
  test('an account is made, shown, credited, corrected and has its photos kept, as by the commands', async () => {
    const body = { name: ' Shop ', credits: 10 };
    const made = await operator.post<{ account: { id: string } }>('/accounts', body);
    const account = { name: 'Shop', credits: 10, keeps_photos: false };
    expect(made).toMatchObject({ status: 201, body: { success: true, account } });
    const { id } = made.body.account;
    expect((await operator.get(`/accounts/${id}`)).body).toEqual(made.body);
    const credit = (amount: number) => operator.post(`/accounts/${id}/credits`, { amount });
    expect((await credit(50)).body).toEqual({ success: true, account: id, amount: 50, credits: 60 });
    expect((await credit(-60)).body).toMatchObject({ credits: 0 });
    expect(await credit(-1)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect(await service.balance(id)).toBe(0);
    for (const keep of [true, false]) {
      const kept = await operator.post(`/accounts/${id}/keep-photos`, { keep });
      expect(kept.body).toMatchObject({ account: { id, keeps_photos: keep } });
    }
  });

  // contract 17.4
  test('usage is what an account was charged, by day and endpoint, in a period', async () => {
    const id = await operator.account(100);
    await as((await operator.key(id)).secret).query({});
    const day = service.clock.now().toISOString().slice(0, 10);
    expect((await operator.get(`/accounts/${id}/usage`)).body).toEqual({
      ...{ success: true, account: id, since: expect.any(String), until: expect.any(String), credits: 1 },
      usage: [{ day, endpoint: 'v3.catalog.query', calls: 1, credits: 1 }],
    });
    const before = await operator.get(`/accounts/${id}/usage?until=${day}`);
    expect(before.body).toMatchObject({ usage: [], credits: 0 });
  });

  // contract 17.3, 9.4
  test('a key is rotated with an overlap, and revoked at once', async () => {
    const old = await operator.key(await operator.account());
    const rotate = (body: object) =>
      operator.post<{ key: { id: string }; secret: string }>(`/keys/${old.id}/rotate`, body);
    const { body } = await rotate({ overlap_hours: 2 });
    expect(body.key).toMatchObject({ name: 'laptop', versions: ['v3'] });
    expect([await opens(old.secret), await opens(body.secret)]).toEqual([200, 200]);
    service.clock.advance(2 * 3_600_000);
    expect([await opens(old.secret), await opens(body.secret)]).toEqual([401, 200]);
    expect((await rotate({})).status).toBe(409);
    for (let time = 0; time < 2; time += 1)
      expect(await operator.revoke(body.key.id)).toMatchObject({ status: 200, body: { revoked: true } });
    expect(await opens(body.secret)).toBe(401);
  });

  // contract 17.3
  test('a key is made with everything that the command can give it, and listed as it was shown', async () => {
    const id = await operator.account();
    const expires_at = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const wanted = { name: 'app', scopes: ['vision:identify'], test: true, expires_at };
    const { body } = await operator.post<{ secret: string; key: Body }>(`/accounts/${id}/keys`, {
      ...{ ...wanted, versions: ['v3', 'v1', 'v3'], limits: { per_second: 0, per_minute: 60 } },
    });
    const { secret, key: shown } = body;
    expect(secret).toMatch(/^loupe_test_[0-9A-Za-z]{32,}$/);
    expect(shown).toEqual({
      ...{ ...wanted, id: expect.stringMatching(/^key_/), account: id, versions: ['v1', 'v3'] },
      limits: { per_second: 0, per_minute: 60, concurrency: null },
      ...{ created_at: service.clock.now().toISOString(), revoked_at: null },
    });
    const list = await operator.get(`/accounts/${id}/keys`);
    expect(list.body).toEqual({ success: true, keys: [shown], next_cursor: null });
    expect(list.text).not.toContain(secret);
    expect([await opens(secret), await opens((await operator.key(id)).secret)]).toEqual([403, 200]);
  });

  // contract 17.5
  describe('lists', () => {
    const walk = async (path: string, name: string, limit: number, meanwhile?: () => Promise<unknown>) => {
      const ids: string[] = [];
      let cursor: unknown = '';
      for (let pages = 0; cursor !== null; pages += 1) {
        const from = cursor === '' ? '' : `&cursor=${String(cursor)}`;
        const { body } = await operator.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${from}`);
        const entries = body[name] as { readonly id: unknown }[];
        expect(entries.length).toBeLessThanOrEqual(limit);
        ids.push(...entries.map(({ id }) => String(id)));
        cursor = body['next_cursor'];
        if (pages === 0) await meanwhile?.();
      }
      return ids;
    };

    test('of accounts and keys continue where the previous page ended, and end with what was added meanwhile', async () => {
      const id = await operator.account();
      const made: string[] = [];
      const createKey = async () => {
        service.clock.advance(1);
        made.push((await operator.key(id)).id);
      };
      for (let key = 0; key < 4; key += 1) await createKey();
      expect(await walk(`/accounts/${id}/keys`, 'keys', 2, createKey)).toEqual(made);
      const accounts = await walk('/accounts', 'accounts', 3);
      expect([new Set(accounts).size, accounts.at(-1)]).toEqual([accounts.length, id]);
      const foreign = `/accounts/${await operator.account()}/keys?cursor=${made[0]}`;
      expect(await operator.get(foreign)).toMatchObject({ status: 400, body: { field: 'cursor' } });
    });

    // contract 17.6, 14.8
    test('of the audit log start with the newest entry, have its request id and note, and leave out what is added meanwhile', async () => {
      const id = await operator.account();
      const credit = (amount: number) => {
        const headers = { 'X-Request-Id': `operators-${amount}` };
        return operator.post(`/accounts/${id}/credits`, { amount, note: 'why' }, headers);
      };
      for (let amount = 1; amount <= 3; amount += 1) await credit(amount);
      const before = await walk(`/audit?account=${id}`, 'entries', 200);
      expect(before).toHaveLength(4);
      expect(await walk(`/audit?account=${id}`, 'entries', 2, () => credit(9))).toEqual(before);
      expect(before).toEqual([...before].sort((left, right) => Number(right) - Number(left)));
      const details = { amount: 9, credits: 115, note: 'why', requestId: 'operators-9' };
      expect((await entriesOf(id))[0]).toMatchObject({ subject: id, details });
    });
  });

  // contract 17.7
  describe('a credit with an Idempotency-Key', () => {
    const credit = (id: string, name: string, amount = 10) =>
      operator.post(`/accounts/${id}/credits`, { amount }, { 'Idempotency-Key': name });

    test('is given once, however often it is sent, also at the same time', async () => {
      const id = await operator.account(0);
      const answers = await Promise.all(Array.from({ length: 5 }, () => credit(id, 'invoice-17')));
      const given = { success: true, account: id, amount: 10, credits: 10 };
      for (const { status, body } of answers) expect([status, body]).toEqual([200, given]);
      const replayed = answers.filter(({ headers }) => headers.get('Idempotency-Replayed') === 'true');
      expect([replayed.length, await service.balance(id)]).toEqual([4, 10]);
      const credits = (await entriesOf(id)).filter(({ action }) => action === 'accounts credit');
      expect(credits).toHaveLength(1);
    });

    test('belongs to its body and account, apart from the calls of the account, and is free after a refusal', async () => {
      const [id, other] = [await operator.account(0), await operator.account(0)];
      expect((await credit(id, 'one')).status).toBe(200);
      expect((await credit(id, 'one', 11)).status).toBe(409);
      expect((await credit(other, 'one')).body).toMatchObject({ account: other, credits: 10 });
      expect((await credit('account_nobody', 'one')).status).toBe(404);
      expect((await credit(id, 'a b')).status).toBe(400);
      const { secret } = await operator.key(id);
      const named = { body: {}, headers: { 'Idempotency-Key': 'one' } };
      expect((await as(secret).send('POST', '/v3/catalog/query', named)).status).toBe(200);
      expect(await service.balance(id)).toBe(9);
      expect((await credit(id, 'again', -10)).status).toBe(400);
      await operator.post(`/accounts/${id}/credits`, { amount: 1 });
      expect(await credit(id, 'again', -10)).toMatchObject({ status: 200, body: { credits: 0 } });
    });

    test('whose caller disconnected is given at most once', async () => {
      const id = await operator.account(0);
      const gone = new AbortController();
      const held = holdMethod(PostgresCreditLedger.prototype, 'topUp');
      const sent = as(ADMIN_TOKEN).send('POST', `/admin/v1/accounts/${id}/credits`, {
        body: { amount: 10 },
        headers: { 'Idempotency-Key': 'gone' },
        signal: gone.signal,
      });
      await held.waiting;
      gone.abort();
      await expect(sent).rejects.toThrow();
      held.letGo();
      expect((await credit(id, 'gone')).body).toMatchObject({ credits: 10 });
      expect(await service.balance(id)).toBe(10);
    });
  });
});

// contract 17.2
describe('an address that guesses', () => {
  const limited = useService({ ADMIN_TOKEN, UNKNOWN_KEYS_PER_MINUTE: '3' });
  const guess = (token: string) => new ApiClient(limited.url, token).send('GET', '/admin/v1/accounts');

  test('is limited as with unknown keys, and the operator is still served', async () => {
    expect((await guess(ADMIN_TOKEN)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => guess(`guess-${at}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.filter(({ status }) => status === 401).length, refused.length]).toEqual([3, 5]);
    expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await guess(ADMIN_TOKEN)).status).toBe(200);
  });
});
