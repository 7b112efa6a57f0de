import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageSource, PORTS } from '../../models/ports';
import { HttpImageSource } from '../../workers/image/http-image-source';
import { type LyingHost, lie, pathOf, RawHost } from '../support/raw-host';
import { useService } from '../support/service';

/**
 * contract 7.5: a caller's address never leads inside. Every address of the corpus is tried as it is and as the
 * target of redirects, over HTTP, while canaries on the loopback of both families wait for a connection.
 */
const HASTY_MS = 1500;
/** For addresses that must not be refused for running out of time: longer than it takes on any machine. */
const PATIENT_MS = 15_000;
/** Public by every registry, assigned to nobody: what is sent there reaches no one. */
const PUBLIC = '2d00::1';

/** DNS answers for a name to the first, second … question; the last answer is repeated. */
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

/** Addresses of one trick: `urls`, or `hosts` of `http://HOST:PORT/a.jpg`. `PORT` stands for the port of the canary. */
interface AddressClass {
  readonly trick: string;
  readonly refusal: keyof typeof VERDICTS;
  readonly hosts?: string;
  readonly urls?: readonly string[];
}

const BLOCKED = '422 url_blocked 0';
const VERDICTS = { blocked: BLOCKED, malformed: '400 url 0' };

const corpus = <Line>(file: string): Line[] =>
  readFileSync(join(__dirname, 'ssrf', file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
/** With the reasons that the service may give for refusing each. */
const hosts = corpus<LyingHost & { trick: string; reasons: readonly string[] }>('lying-hosts.jsonl');
const classes = corpus<AddressClass>('addresses.jsonl').map(({ trick, refusal, hosts = '', urls }) => {
  const addresses = urls ?? hosts.split(' ').map((host) => `http://${host}:PORT/a.jpg`);
  return [trick, refusal, addresses] as const;
});

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
/** Addresses that answer nothing, and are given up only at the time limit. */
const stalling = new Set<string>();
const service = useService({ VISION_CONCURRENCY: '0' }, { [PORTS.ImageSource]: source });

const canary = (address: string, port = 0) =>
  RawHost.listen(address, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\ninside'), port);

beforeAll(async () => {
  const first = await canary('127.0.0.1');
  const second = await canary('::1', first.port).catch(() => null);
  canaries = second ? [first, second] : [first];
  redirector = await RawHost.listen('127.0.0.1', (socket, head) => {
    const [status = '302', target = '', ...rest] = decodeURIComponent(pathOf(head)).split('|');
    const location = rest.length === 0 ? target : `/${encodeURIComponent([status, ...rest].join('|'))}`;
    const headers = [`Location: ${location.replace(/[\r\n]/g, '')}`, 'Set-Cookie: session=1'];
    socket.end([`HTTP/1.1 ${status} Elsewhere`, ...headers, 'Content-Length: 0', '', ''].join('\r\n'));
  });
  liar = await RawHost.listen('127.0.0.1', (socket, head) => {
    const host = hosts[Number(pathOf(head))];
    if (host) lie(host, socket, head);
  });
  allow.push(`127.0.0.1:${redirector.port}`, `127.0.0.1:${liar.port}`);
});

afterAll(async () => {
  await Promise.all([...canaries, redirector, liar].map((host) => host.close()));
  await Promise.all([hasty, patient].map((each) => each.close()));
});

beforeEach(() => asked.splice(0));
afterEach(() => expect(canaries.map(({ connections }) => connections)).toEqual(canaries.map(() => 0)));

const here = (text: string) => text.replaceAll('PORT', String(canaries[0]?.port ?? 0));
const redirecting = (...path: readonly (string | number)[]) =>
  `http://127.0.0.1:${redirector.port}/${encodeURIComponent(path.join('|'))}`;

async function verdictOf(url: string): Promise<string> {
  const { status, body, headers } = await service.api.identify({ url });
  const { reason, field } = body as { reason?: string; field?: string };
  return [status, reason ?? field ?? '', headers.get('X-Credits-Used')].join(' ');
}

const verdictsOf = (urls: readonly string[], through = (url: string) => url): Promise<string[]> =>
  Promise.all(urls.map(async (url) => `${await verdictOf(through(here(url)))} ${url}`));
const expected = (urls: readonly string[], verdict: string) => urls.map((url) => `${verdict} ${url}`);

// contract 7.5
describe('An address that leads inside, or nowhere, is refused', () => {
  test.each(classes)('%s (%s)', async (_trick, refusal, urls) => {
    expect(await verdictsOf(urls)).toEqual(expected(urls, VERDICTS[refusal]));
  });

  test('on v2 as on v3', async () => {
    const answer = await service.api.identifyV2({ url: here('http://127.0.0.1:PORT/') });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'url_blocked' } });
  });
});

describe('A redirect that leads inside is not followed', () => {
  test.each(classes)('%s (%s)', async (_trick, refusal, urls) => {
    const verdicts = await verdictsOf(urls, (url) => redirecting(302, url));
    // Headers are no place for other scripts, and a target without a host of its own is one of the redirector's.
    const whole = urls.filter((url) => refusal === 'blocked' && /^https?:\/\/[!-~]+$/i.test(url));
    expect(verdicts).toEqual(expect.arrayContaining(expected(whole, BLOCKED)));
    const allowed = refusal === 'blocked' ? 'blocked|status|unreachable' : 'blocked|status';
    for (const verdict of verdicts) expect(verdict).toMatch(new RegExp(`^422 url_(${allowed}) 0 `));
  });

  test.each<[string, readonly (string | number)[]]>([
    ...[301, 302, 303, 307, 308].map((status): [string, (string | number)[]] => [
      `with status ${status}`,
      [status, 'http://127.0.0.1:PORT/'],
    ]),
    ['after two hops', [302, 'ignored', 'http://[::1]:PORT/']],
    ['after three hops', [302, 'ignored', 'ignored', 'http://127.1:PORT/']],
    ['to the host of the redirect at another port', [302, '//127.0.0.1:PORT/a.jpg']],
    ['to a name that turned inside since it was looked up', [302, 'http://rebinding.example:PORT/']],
  ])('%s', async (_how, path) => {
    asked.push('rebinding.example');
    expect(await verdictOf(redirecting(...path.map((each) => here(String(each)))))).toBe(BLOCKED);
  });

  test('one redirect too many does not lead inside either', async () => {
    const chain = redirecting(302, 'a', 'b', 'c', here('http://127.0.0.1:PORT/'));
    expect(await verdictOf(chain)).toBe('422 url_status 0');
  });

  test('and passes on no cookie, password or referrer', async () => {
    redirector.requests.splice(0);
    await verdictOf(redirecting(302, 'a', 'b', 'http://'));
    expect(redirector.requests.length).toBeGreaterThan(1);
    for (const request of redirector.requests)
      expect(request).not.toMatch(/^(cookie|authorization|referer|proxy-authorization|origin):/im);
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

  test('that nobody knows is unreachable', async () => {
    expect(await verdictOf('http://nobody.example/')).toBe('422 url_unreachable 0');
  });
});

test('a host that lies or stalls is given up with its reason', async () => {
  const urls = hosts.map(({ reasons }, index) => {
    const url = `http://127.0.0.1:${liar.port}/${index}`;
    if (reasons.includes('url_timeout')) stalling.add(url);
    return url;
  });
  // Together, since many are given up only at the time limit.
  const verdicts = await Promise.all(urls.map(verdictOf));
  const wrong = hosts.filter(
    ({ reasons }, index) => !reasons.some((reason) => verdicts[index] === `422 ${reason} 0`),
  );
  expect(wrong.map((host) => [host.trick, verdicts[hosts.indexOf(host)]])).toEqual([]);
});

test('a canary that is allowed by name is reached', async () => {
  const [first] = canaries;
  if (!first) throw new Error('there is no canary');
  allow.push(`127.0.0.1:${first.port}`);
  expect(await verdictOf(here('http://127.0.0.1:PORT/'))).toBe('422 image_format 0');
  expect(first.connections).toBe(1);
  first.connections = 0;
  allow.pop();
});
