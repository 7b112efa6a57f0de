import { ApiClient } from '../support/api-client';
import { ADMIN_TOKEN, OperatorClient } from '../support/operator-client';
import { useService } from '../support/service';

/** contract 17.3, 17.4, 17.5: accounts and keys over HTTP. */
const service = useService({ ADMIN_TOKEN });
const operator = new OperatorClient(() => service.url);
const as = (token: string | null) => new ApiClient(service.url, token);
const opens = async (secret: string): Promise<number> => (await as(secret).query({})).status;

type Body = Record<string, unknown>;

describe('accounts', () => {
  // contract 17.3
  test('are made, limited or not, and shown as they stand', async () => {
    const limited = await operator.post('/accounts', { name: ' Shop ', credits: 10 });
    expect(limited).toMatchObject({
      status: 201,
      body: { success: true, account: { name: 'Shop', credits: 10, keeps_photos: false } },
    });
    const { id } = (limited.body as { account: { id: string } }).account;
    expect((await operator.get(`/accounts/${id}`)).body).toEqual(limited.body);
    const unlimited = await operator.account(null);
    expect((await operator.get(`/accounts/${unlimited}`)).body).toMatchObject({ account: { credits: null } });
    expect(await operator.get('/accounts/account_nobody')).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
  });

  // contract 17.3
  test('are credited and corrected by a signed amount, under the rules of the commands', async () => {
    const id = await operator.account(100);
    const credit = (body: object, of = id) => operator.post(`/accounts/${of}/credits`, body);
    expect((await credit({ amount: 50, note: 'Invoice 17' })).body).toEqual({
      success: true,
      account: id,
      amount: 50,
      credits: 150,
    });
    expect((await credit({ amount: -150 })).body).toMatchObject({ credits: 0 });
    expect(await credit({ amount: -1 })).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect((await credit({ amount: 1 }, await operator.account(null))).status).toBe(404);
    expect((await credit({ amount: 1 }, 'account_nobody')).status).toBe(404);
    expect(await service.balance(id)).toBe(0);
  });

  // contract 17.3
  test('have their photos kept, and no more', async () => {
    const id = await operator.account();
    for (const keep of [true, false]) {
      const { body } = await operator.post(`/accounts/${id}/keep-photos`, { keep });
      expect(body).toMatchObject({ account: { id, keeps_photos: keep } });
    }
  });

  // contract 17.4
  test('show what they were charged, by day and endpoint, in a period', async () => {
    const id = await operator.account(100);
    const { secret } = await operator.key(id);
    await as(secret).query({});
    const today = service.clock.now().toISOString().slice(0, 10);
    expect((await operator.get(`/accounts/${id}/usage`)).body).toEqual({
      success: true,
      account: id,
      since: expect.any(String),
      until: expect.any(String),
      credits: 1,
      usage: [{ day: today, endpoint: 'v3.catalog.query', calls: 1, credits: 1 }],
    });
    const { body } = await operator.get(`/accounts/${id}/usage?until=${today}`);
    expect(body).toMatchObject({ usage: [], credits: 0 });
    expect((await operator.get('/accounts/account_nobody/usage')).status).toBe(404);
    expect((await operator.get(`/accounts/${id}/usage?since=x`)).status).toBe(400);
  });
});

describe('keys', () => {
  // contract 17.3
  test('are made with all that the command gives them, shown once, and listed without their secret', async () => {
    const id = await operator.account();
    const expires = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const made = await operator.post<{ secret: string; key: Body }>(`/accounts/${id}/keys`, {
      name: 'app',
      versions: ['v3', 'v1', 'v3'],
      scopes: ['vision:identify'],
      test: true,
      limits: { per_second: 0, per_minute: 60 },
      expires_at: expires,
    });
    const { secret, key: shown } = made.body;
    expect(secret).toMatch(/^loupe_test_[0-9A-Za-z]{32,}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      account: id,
      name: 'app',
      versions: ['v1', 'v3'],
      scopes: ['vision:identify'],
      test: true,
      limits: { per_second: 0, per_minute: 60, concurrency: null },
      created_at: service.clock.now().toISOString(),
      expires_at: expires,
      revoked_at: null,
    });
    const list = await operator.get(`/accounts/${id}/keys`);
    expect(list.body).toEqual({ success: true, keys: [shown], next_cursor: null });
    expect(list.text).not.toContain(secret);
    expect(await opens(secret)).toBe(403);
    const plain = await operator.key(id);
    expect(await opens(plain.secret)).toBe(200);
    expect((await operator.get('/accounts/account_nobody/keys')).status).toBe(404);
    expect(
      (await operator.post('/accounts/account_nobody/keys', { name: 'a', versions: ['v3'] })).status,
    ).toBe(404);
  });

  // contract 17.3, 9.4
  test('are rotated with an overlap, and revoked at once', async () => {
    const old = await operator.key(await operator.account());
    const { body } = await operator.post<{ key: Body; secret: string }>(`/keys/${old.id}/rotate`, {
      overlap_hours: 2,
    });
    expect(body.key).toMatchObject({ name: 'laptop', versions: ['v3'] });
    expect([await opens(old.secret), await opens(body.secret)]).toEqual([200, 200]);
    service.clock.advance(2 * 3_600_000);
    expect([await opens(old.secret), await opens(body.secret)]).toEqual([401, 200]);
    expect((await operator.post(`/keys/${old.id}/rotate`, {})).status).toBe(409);
    for (let time = 0; time < 2; time += 1) {
      expect(await operator.revoke(String(body.key['id']))).toMatchObject({
        status: 200,
        body: { revoked: true },
      });
    }
    expect(await opens(body.secret)).toBe(401);
    expect((await operator.revoke('key_nobody')).status).toBe(404);
    expect((await operator.post('/keys/key_nobody/rotate', {})).status).toBe(404);
  });
});

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

  // contract 17.5
  test('of accounts and keys go on where the page before ended, with what was added meanwhile at their end', async () => {
    const id = await operator.account();
    const made: string[] = [];
    const makeKey = async () => {
      service.clock.advance(1);
      made.push((await operator.key(id)).id);
    };
    for (let at = 0; at < 4; at += 1) await makeKey();
    const whole = await walk(`/accounts/${id}/keys`, 'keys', 2, makeKey);
    expect(whole).toEqual(made);
    expect(await walk(`/accounts/${id}/keys`, 'keys', 5)).toEqual(made);
    const accounts = await walk('/accounts', 'accounts', 3);
    expect(new Set(accounts).size).toBe(accounts.length);
    expect(accounts.at(-1)).toBe(id);
  });

  // contract 17.5, 17.6
  test('of the audit log have the newest first, and nothing that was added meanwhile', async () => {
    const id = await operator.account();
    for (let at = 0; at < 3; at += 1) await operator.post(`/accounts/${id}/credits`, { amount: at + 1 });
    const before = await walk(`/audit?account=${id}`, 'entries', 200);
    expect(before).toHaveLength(4);
    const walked = await walk(`/audit?account=${id}`, 'entries', 2, () =>
      operator.post(`/accounts/${id}/credits`, { amount: 9 }),
    );
    expect(walked).toEqual(before);
    expect(before).toEqual([...before].sort((left, right) => Number(right) - Number(left)));
  });

  // contract 17.5
  test("another account's key is no cursor", async () => {
    const foreign = await operator.key(await operator.account());
    const { status, body } = await operator.get(
      `/accounts/${await operator.account()}/keys?cursor=${foreign.id}`,
    );
    expect([status, body['field']]).toEqual([400, 'cursor']);
  });
});
