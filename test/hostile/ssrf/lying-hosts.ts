import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a host does with a connection once it has read a request. */
type Behaviour = (socket: Socket, request: string) => void;

/** A TCP server that says what it likes, since a well-behaved HTTP server can't lie. */
export class RawHost {
  connections = 0;
  /** Head of each request, as it came. */
  readonly requests: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(behaviour: Behaviour) {
    this.server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
      let head = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        head += chunk;
        if (!head.includes('\r\n\r\n')) return;
        this.requests.push(head);
        behaviour(socket, head);
        head = '';
      });
    });
  }

  /** @throws when the address does not exist here, such as `::1` on a machine without IPv6 */
  static async listen(host: string, behaviour: Behaviour, port = 0): Promise<RawHost> {
    const raw = new RawHost(behaviour);
    raw.server.listen(port, host);
    await once(raw.server, 'listening');
    return raw;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The path of a request, without its leading slash. */
export const pathOf = (request: string): string => (request.split(' ')[1] ?? '/').slice(1);

/** A whole answer; the body may be anything. */
export function respond(
  socket: Socket,
  status: string,
  headers: readonly string[],
  body: string | Buffer = '',
): void {
  socket.write(
    `HTTP/1.1 ${[status, ...headers, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n`,
  );
  socket.end(body);
}

/** A host that a caller may name, what it does, and the reasons that the service may give for not using it. */
export interface LyingHost {
  readonly trick: string;
  readonly behaviour: Behaviour;
  readonly reasons: readonly string[];
}

const TIMEOUT = ['url_timeout'];
const UNREACHABLE = ['url_unreachable'];
const STATUS = ['url_status'];
const NO_IMAGE = ['image_format'];
const UNDECODABLE = ['image_undecodable'];
const TOO_LARGE = ['image_too_large'];

const host = (trick: string, reasons: readonly string[], behaviour: Behaviour): LyingHost => ({
  trick,
  behaviour,
  reasons,
});

/** Sends the same bytes again and again for as long as anybody listens. */
function pour(bytes: string | Buffer, everyMs: number, head = ''): Behaviour {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(bytes), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

/** A thousandth of what it becomes. */
const GZIP_BOMB = gzipSync(Buffer.alloc(5_000_000));

const OK = 'HTTP/1.1 200 OK\r\n';
const raw =
  (text: string): Behaviour =>
  (socket) =>
    void socket.end(text, 'latin1');

/** Hosts that stall, flood, lie about lengths or speak something else. */
export const LYING_HOSTS: readonly LyingHost[] = [
  host('never answers', TIMEOUT, () => undefined),
  host('drips its headers', TIMEOUT, pour('X-Drip: 1\r\n', 20, OK)),
  host('drips its body', TIMEOUT, pour('x', 20, `${OK}Content-Length: 100000\r\n\r\n`)),
  host('drips chunks', TIMEOUT, pour('1\r\nx\r\n', 20, `${OK}Transfer-Encoding: chunked\r\n\r\n`)),
  host(
    'promises a body and sends none',
    TIMEOUT,
    (socket) => void socket.write(`${OK}Content-Length: 10\r\n\r\n`),
  ),
  host('says 100 for ever', [...TIMEOUT, ...UNREACHABLE], pour('HTTP/1.1 100 Continue\r\n\r\n', 5)),
  host(
    'says 103 for ever',
    [...TIMEOUT, ...UNREACHABLE],
    pour('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', 5),
  ),
  host('has endless headers', UNREACHABLE, pour(`X-Long: ${'x'.repeat(4000)}\r\n`, 1, OK)),
  host('has one endless header', UNREACHABLE, pour('x'.repeat(4000), 1, `${OK}X-Long: `)),
  host(
    'has an endless status line',
    [...TIMEOUT, ...UNREACHABLE],
    pour('x'.repeat(4000), 1, 'HTTP/1.1 200 '),
  ),
  host('has an endless body', TOO_LARGE, pour(Buffer.alloc(65_536), 1, `${OK}\r\n`)),
  host(
    'has endless chunks',
    TOO_LARGE,
    pour(`10000\r\n${'x'.repeat(65_536)}\r\n`, 1, `${OK}Transfer-Encoding: chunked\r\n\r\n`),
  ),
  host(
    'has endless chunk extensions',
    [...TIMEOUT, ...UNREACHABLE],
    pour('x'.repeat(4000), 1, `${OK}Transfer-Encoding: chunked\r\n\r\n1;x=`),
  ),
  host(
    'has endless trailers',
    [...TIMEOUT, ...UNREACHABLE],
    pour('X-Trailer: 1\r\n', 5, `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`),
  ),
  host('announces more than anybody takes', TOO_LARGE, raw(`${OK}Content-Length: 99999999999\r\n\r\nx`)),
  host(
    'announces more than a number holds',
    UNREACHABLE,
    raw(`${OK}Content-Length: 99999999999999999999999\r\n\r\nx`),
  ),
  host('announces more than it sends', UNREACHABLE, raw(`${OK}Content-Length: 100\r\n\r\nabc`)),
  host(
    'announces less than it sends',
    [...NO_IMAGE, ...UNREACHABLE],
    raw(`${OK}Content-Length: 3\r\n\r\nabcdef`),
  ),
  host('announces a negative length', UNREACHABLE, raw(`${OK}Content-Length: -1\r\n\r\nabc`)),
  host('announces two lengths', UNREACHABLE, raw(`${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`)),
  host(
    'announces length and chunks',
    [...NO_IMAGE, ...UNREACHABLE],
    raw(`${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`),
  ),
  host('sends a broken chunk', UNREACHABLE, raw(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc`)),
  host('sends a gzip bomb', TOO_LARGE, (socket) =>
    respond(socket, '200 OK', ['Content-Encoding: gzip', 'Content-Type: image/jpeg'], GZIP_BOMB),
  ),
  host('names codings that nobody knows', UNDECODABLE, (socket) =>
    respond(socket, '200 OK', ['Content-Encoding: br, zstd, x'], 'abc'),
  ),
  host('sends nothing', NO_IMAGE, (socket) => respond(socket, '200 OK', [])),
  host('has no content', NO_IMAGE, raw('HTTP/1.1 204 No Content\r\n\r\n')),
  host('sends a page', NO_IMAGE, (socket) =>
    respond(socket, '200 OK', ['Content-Type: image/png'], '<html><script>1</script>'),
  ),
  host('answers 206', NO_IMAGE, (socket) =>
    respond(socket, '206 Partial Content', ['Content-Range: bytes 0-2/9'], 'abc'),
  ),
  host('answers 304', STATUS, raw('HTTP/1.1 304 Not Modified\r\n\r\n')),
  host('asks for a password', STATUS, (socket) =>
    respond(socket, '401 Unauthorized', ['WWW-Authenticate: Basic']),
  ),
  host('answers 500 with a picture type', STATUS, (socket) =>
    respond(socket, '500 Oops', ['Content-Type: image/png'], 'abc'),
  ),
  host('answers with no status anybody knows', [...STATUS, ...UNREACHABLE], (socket) =>
    respond(socket, '999 Odd', [], 'abc'),
  ),
  host(
    'switches protocols unasked',
    [...UNREACHABLE, ...STATUS],
    raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nabc'),
  ),
  host('speaks HTTP/0.9', UNREACHABLE, raw('<html>hello</html>')),
  host('speaks SMTP', UNREACHABLE, raw('220 mail.example ESMTP\r\n')),
  host('speaks TLS', UNREACHABLE, raw('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')),
  host('speaks HTTP/2', UNREACHABLE, raw('\x00\x00\x00\x04\x00\x00\x00\x00\x00')),
  host('hangs up at once', UNREACHABLE, (socket) => void socket.destroy()),
  host('resets in the middle', UNREACHABLE, (socket) => {
    socket.write(`${OK}Content-Length: 100\r\n\r\nabc`);
    setImmediate(() => socket.resetAndDestroy());
  }),
  host('has NUL in a header', UNREACHABLE, raw(`${OK}X-Nul: a\0b\r\nContent-Length: 3\r\n\r\nabc`)),
  host(
    'smuggles a second answer',
    NO_IMAGE,
    raw(`${OK}Content-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz`),
  ),
  host('redirects to nowhere', STATUS, (socket) => respond(socket, '302 Found', [])),
  host('redirects to nothing', STATUS, (socket) => respond(socket, '302 Found', ['Location: '])),
  host('redirects to itself for ever', STATUS, (socket, request) =>
    respond(socket, '302 Found', [`Location: /${request.split(' ')[1]?.slice(1) ?? ''}`]),
  ),
  host('redirects to what is no address', STATUS, (socket) =>
    respond(socket, '301 Moved', ['Location: http://[::1']),
  ),
  host(
    'redirects with an endless body',
    STATUS,
    pour(Buffer.alloc(65_536), 1, 'HTTP/1.1 302 Found\r\nLocation: http://\r\n\r\n'),
  ),
];
