import { type ImageSource, PORTS } from '../../models/ports';
import { HttpImageSource } from '../../workers/image/http-image-source';
import { useService } from '../support/service';
import { type AddressClass, INSIDE_ADDRESSES, MALFORMED_ADDRESSES } from './ssrf/addresses';
import { LYING_HOSTS, pathOf, RawHost, respond } from './ssrf/lying-hosts';

/**
 * contract 7.5: a caller's address never leads inside. Every address of the corpus is tried as it is and as the
 * target of redirects, over HTTP, while canaries on the loopback of both families wait for a connection.
 */
const HASTY_MS = 1500;
/** For addresses whose verdict must not be that their time was over: longer than it takes on any machine. */
const PATIENT_MS = 15_000;
/** Public by every registry, assigned to nobody: what is sent there reaches no one. */
const PUBLIC = '2d00::1';

/** What DNS says of a name at the first, second … question; the last answer stays. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'public.example': [[PUBLIC]],
  'rebinding.example': [[PUBLIC], ['127.0.0.1']],
  'rebinding6.example': [[PUBLIC], ['::1']],
  'inside.example': [['127.0.0.1']],
  'inside6.example': [['::1']],
  'network.example': [['10.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'nat64.example': [['64:ff9b::7f00:1']],
  'last-of-many.example': [[PUBLIC, '2d00::2', '127.0.0.1']],
  'first-of-many.example': [['::1', PUBLIC]],
  'no-address.example': [[]],
  'no-numbers.example': [['localhost']],
  'zone.example': [['fe80::1%lo']],
};

const asked: string[] = [];
const resolve = async (name: string): Promise<readonly string[]> => {
  const answers = NAMES[name.replace(/\.$/, '')];
  if (!answers) throw Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' });
  const answer = answers[Math.min(asked.filter((each) => each === name).length, answers.length - 1)] ?? [];
  asked.push(name);
  return answer;
};

let canaries: RawHost[] = [];
let redirector: RawHost;
let liar: RawHost;
const allow: string[] = [];
const sourceThatWaits = (timeoutMs: number) =>
  new HttpImageSource({ timeoutMs, bytesMax: 256 * 1024, redirectsMax: 3, allow, resolve });
const hasty = sourceThatWaits(HASTY_MS);
const patient = sourceThatWaits(PATIENT_MS);
const source: ImageSource = {
  fetch: (url, signal) => (stalling.has(url.href) ? hasty : patient).fetch(url, signal),
};
/** Addresses that answer nothing, and are given up only when their time is over. */
const stalling = new Set<string>();
const service = useService({ VISION_CONCURRENCY: '0' }, { [PORTS.ImageSource]: source });

const isPresent = <Value>(value: Value | null): value is Value => value !== null;
const canary = (address: string, port: number) =>
  RawHost.listen(address, (socket) => respond(socket, '200 OK', [], 'inside'), port).catch(() => null);

beforeAll(async () => {
  const first = await canary('127.0.0.1', 0);
  canaries = [first, first && (await canary('::1', first.port))].filter(isPresent);
  redirector = await RawHost.listen('127.0.0.1', (socket, request) => {
    const [status = '302', ...targets] = decodeURIComponent(pathOf(request)).split('|');
    const [target = '', ...rest] = targets;
    const location = rest.length === 0 ? target : `/${encodeURIComponent([status, ...rest].join('|'))}`;
    respond(socket, `${status} Elsewhere`, [
      `Location: ${Buffer.from(location.replace(/[\r\n]/g, ''), 'utf8').toString('latin1')}`,
      'Set-Cookie: session=1',
    ]);
  });
  liar = await RawHost.listen('127.0.0.1', (socket, request) =>
    LYING_HOSTS[Number(pathOf(request))]?.behaviour(socket, request),
  );
  allow.push(`127.0.0.1:${redirector.port}`, `127.0.0.1:${liar.port}`);
});

afterAll(async () => {
  await Promise.all([...canaries, redirector, liar].map((host) => host.close()));
  await Promise.all([hasty, patient].map((each) => each.close()));
});

beforeEach(() => asked.splice(0));
afterEach(() => expect(canaries.map(({ connections }) => connections)).toEqual(canaries.map(() => 0)));

const canaryPort = () => canaries[0]?.port ?? 0;
const here = (text: string) => text.replaceAll('PORT', String(canaryPort()));
const redirecting = (...path: readonly (string | number)[]) =>
  `http://127.0.0.1:${redirector.port}/${encodeURIComponent(path.join('|'))}`;

async function verdictOf(url: string): Promise<string> {
  const { status, body, headers } = await service.api.identify({ url });
  const { reason, field } = body as { reason?: string; field?: string };
  return [status, reason ?? field ?? '', headers.get('X-Credits-Used')].join(' ');
}

const BLOCKED = '422 url_blocked 0';
const VERDICTS = { blocked: BLOCKED, malformed: '400 url 0' };

/** Every address of a class with the verdict on it, for comparison in one look. */
async function verdictsOf(urls: readonly string[], through: (url: string) => string): Promise<string[]> {
  return Promise.all(urls.map(async (url) => `${await verdictOf(through(here(url)))} ${url}`));
}

const expected = (urls: readonly string[], verdict: string) => urls.map((url) => `${verdict} ${url}`);
const byTrick = (classes: readonly AddressClass[]) => classes.map((each) => [each.trick, each] as const);

// contract 7.5
describe('An address that leads inside is refused', () => {
  test.each(byTrick(INSIDE_ADDRESSES))('%s', async (_trick, { urls, refusal }) => {
    expect(await verdictsOf(urls, (url) => url)).toEqual(expected(urls, VERDICTS[refusal]));
  });

  test.each(byTrick(MALFORMED_ADDRESSES))(
    'as the mistake that it is: %s',
    async (_trick, { urls, refusal }) => {
      expect(await verdictsOf(urls, (url) => url)).toEqual(expected(urls, VERDICTS[refusal]));
    },
  );

  test('on v2 as on v3', async () => {
    const answer = await service.api.identifyV2({ url: here('http://127.0.0.1:PORT/') });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'url_blocked' } });
  });
});

describe('A redirect that leads inside is not followed', () => {
  test.each(byTrick(INSIDE_ADDRESSES))('%s', async (_trick, { urls }) => {
    const verdicts = await verdictsOf(urls, (url) => redirecting(302, url));
    // Headers are no place for other scripts, and a target without a host of its own is one of the redirector's.
    const whole = urls.filter((url) => /^https?:\/\/[!-~]+$/i.test(url));
    expect(verdicts).toEqual(expect.arrayContaining(expected(whole, BLOCKED)));
    for (const verdict of verdicts) expect(verdict).toMatch(/^422 url_(blocked|status|unreachable) 0 /);
  });

  test.each(byTrick(MALFORMED_ADDRESSES))('%s', async (_trick, { urls }) => {
    const verdicts = await verdictsOf(urls, (url) => redirecting(302, url));
    for (const verdict of verdicts) expect(verdict).toMatch(/^422 (url_blocked|url_status) 0 /);
  });

  test.each([301, 302, 303, 307, 308])('with status %d', async (status) => {
    expect(await verdictOf(redirecting(status, here('http://127.0.0.1:PORT/')))).toBe(BLOCKED);
  });

  test.each([
    ['two', ['http://[::1]:PORT/']],
    ['three', ['ignored', 'http://127.1:PORT/']],
  ])('after %s hops', async (_hops, targets) => {
    expect(await verdictOf(redirecting(302, 'ignored', ...targets.map(here)))).toBe(BLOCKED);
  });

  test('one redirect too many is none of the inside either', async () => {
    const chain = redirecting(302, 'a', 'b', 'c', here('http://127.0.0.1:PORT/'));
    expect(await verdictOf(chain)).toBe('422 url_status 0');
  });

  test('and takes no cookie, password or referrer along', async () => {
    redirector.requests.splice(0);
    await verdictOf(redirecting(302, 'a', 'b', 'http://'));
    expect(redirector.requests.length).toBeGreaterThan(1);
    for (const request of redirector.requests)
      expect(request).not.toMatch(/^(cookie|authorization|referer|proxy-authorization|origin):/im);
  });

  test('to the same name with another port as little as to another name', async () => {
    expect(await verdictOf(redirecting(302, here('//127.0.0.1:PORT/a.jpg')))).toBe(BLOCKED);
  });
});

describe('A name that leads inside is refused', () => {
  test.each(Object.keys(NAMES).filter((name) => !/^(public|rebinding)/.test(name)))('%s', async (name) => {
    expect(await verdictOf(here(`http://${name}:PORT/`))).toBe(BLOCKED);
    expect(await verdictOf(redirecting(302, here(`http://${name}:PORT/`)))).toBe(BLOCKED);
  });

  test.each(['rebinding.example', 'rebinding6.example'])(
    '%s turns inside after the check: the checked address is dialled, and DNS is asked once',
    async (name) => {
      const url = here(`http://${name}:PORT/`);
      stalling.add(url);
      expect(await verdictOf(url)).toMatch(/^422 url_(unreachable|timeout) 0$/);
      expect(asked).toEqual([name]);
      stalling.delete(url);
      expect(await verdictOf(url)).toBe(BLOCKED);
    },
  );

  test('is asked about again after a redirect', async () => {
    asked.push('rebinding.example');
    expect(await verdictOf(redirecting(302, here('http://rebinding.example:PORT/')))).toBe(BLOCKED);
  });

  test('that nobody knows is unreachable', async () => {
    expect(await verdictOf('http://nobody.example/')).toBe('422 url_unreachable 0');
  });
});

describe('A host that lies or stalls is given up with its reason', () => {
  let verdicts: readonly string[];
  // Together, since half of them are given up only when their time is over.
  beforeAll(async () => {
    const urls = LYING_HOSTS.map(({ reasons }, index) => {
      const url = `http://127.0.0.1:${liar.port}/${index}`;
      if (reasons.includes('url_timeout')) stalling.add(url);
      return url;
    });
    verdicts = await Promise.all(urls.map(verdictOf));
  });

  test.each(LYING_HOSTS.map((host, index) => [host.trick, host.reasons, index] as const))(
    '%s',
    (_trick, reasons, index) => {
      expect(reasons.map((reason) => `422 ${reason} 0`)).toContain(verdicts[index]);
    },
  );
});

test('the canary sings: allowed by name, it is reached', async () => {
  const [first] = canaries;
  if (!first) throw new Error('there is no canary');
  allow.push(`127.0.0.1:${first.port}`);
  expect(await verdictOf(here('http://127.0.0.1:PORT/'))).toBe('422 image_format 0');
  expect(first.connections).toBe(1);
  first.connections = 0;
  allow.pop();
});
