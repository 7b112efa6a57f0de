/** The words of a text, separated by white space. */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** What the service says of an address that it will not fetch. */
export type Refusal = 'blocked' | 'malformed';

/** Addresses of one trick, all of which lead inside or nowhere. `PORT` stands for the port of the canary. */
export interface AddressClass {
  readonly trick: string;
  readonly refusal: Refusal;
  readonly urls: readonly string[];
}

const at = (hosts: string): string[] => words(hosts).map((host) => `http://${host}:PORT/a.jpg`);

const blocked = (trick: string, urls: readonly string[]): AddressClass => ({
  trick,
  refusal: 'blocked',
  urls,
});

/** Addresses that lead inside, by trick; each is tried as a caller's own address and as the target of a redirect. */
export const INSIDE_ADDRESSES: readonly AddressClass[] = [
  blocked('loopback, plainly', at('127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.254 [::1] 0.0.0.0 [::]')),
  blocked(
    'one number, decimal, octal, hexadecimal',
    at('2130706433 017700000001 0x7f000001 0X7F000001 00000000000017700000001 0 0x0'),
  ),
  blocked('short forms', at('127.1 127.0.1 127.65535 10.1 192.168.1 169.16689662 0.0')),
  blocked(
    'mixed bases and leading zeros',
    at(`
        0x7f.1 0177.1 0x7f.0x0.0x0.0x1 0177.0.0.01 0x7f.0.0.01 0000177.0.0.1 0xa9.254.0251.0376 127.0x1
        0x7f.
      `),
  ),
  blocked(
    'digits and dots of other scripts',
    at(`
        １２７.0.0.1 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.⓪.⓪.① １６９。２５４。１６９。２５４ 𝟭𝟮𝟳.0.0.1 ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ
        lo\u00adcalhost local\u200bhost
      `),
  ),
  blocked(
    'percent-encoded hosts',
    at('%31%32%37.0.0.1 127%2e0%2e0%2e1 %6c%6f%63alhost 127.0.0.%31 %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1'),
  ),
  blocked(
    'trailing dots',
    at('127.0.0.1. localhost. LOCALHOST. 2130706433. 169.254.169.254. metadata.google.internal.'),
  ),
  blocked(
    'names that mean this machine or its network',
    at(`
        localhost LocalHost foo.localhost a.b.localhost localhost.localdomain.localhost printer.local
        router.home.arpa host.docker.internal kubernetes.default.svc.cluster.local ip6-localhost redis
        postgres metadata instance-data
      `),
  ),
  blocked(
    'IPv4-mapped and IPv4-compatible IPv6',
    at(`
        [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:0001] [::FFFF:127.0.0.1] [::ffff:10.0.0.1]
        [::ffff:a9fe:a9fe] [::ffff:8.8.8.8] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1]
        [0000:0000:0000:0000:0000:0000:0000:0001]
      `),
  ),
  blocked(
    'NAT64',
    at(`
        [64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1]
        [64:ff9b:1:ffff::a00:1]
      `),
  ),
  blocked(
    '6to4, Teredo, ISATAP',
    at(`
        [2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:c0a8:0101::1] [2001:0:7f00:1::]
        [2001:0:4136:e378:8000:63bf:80ff:fffe] [fe80::5efe:127.0.0.1] [2606:4700::5efe:7f00:1]
        [2606:4700::200:5efe:a00:1]
      `),
  ),
  blocked(
    'private, shared and unique local networks',
    at(`
        10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.254 100.64.0.1
        100.127.255.254 [fc00::1] [fd12:3456:789a::1] [fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]
      `),
  ),
  blocked(
    'link-local, site-local and multicast',
    at(`
        169.254.0.1 169.254.255.254 [fe80::1] [febf::1] [fec0::1] [feff::1] 224.0.0.1 239.255.255.250
        [ff02::1] [ff0e::1]
      `),
  ),
  blocked(
    'metadata services',
    words(`
        http://169.254.169.254/latest/meta-data/iam/security-credentials/
        http://0xa9fea9fe/latest/meta-data/ http://2852039166/latest/meta-data/
        http://0251.0376.0251.0376/ http://[fd00:ec2::254]/latest/meta-data/
        http://[fd20:ce::254]/computeMetadata/v1/ http://metadata.google.internal/computeMetadata/v1/
        http://100.100.100.200/latest/meta-data/ http://192.0.0.192/latest/
        http://168.63.129.16/machine?comp=goalstate http://169.254.170.2/v2/credentials/
      `),
  ),
  blocked(
    'reserved, documentation, benchmarking and broadcast',
    at(`
        0.1.2.3 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1
        198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1 240.0.0.1 255.255.255.255 [100::1]
        [100:0:0:1::1] [2001:2::1] [2001:20::1] [2001:db8::1] [3fff::1] [5f00::1] [4000::1]
      `),
  ),
  blocked(
    'other ports and schemes of the same place',
    words(`
        https://127.0.0.1:PORT/ https://localhost/ http://127.0.0.1:22/ http://127.0.0.1:0/
        http://127.0.0.1:00080/ HTTP://127.0.0.1:PORT/ http://127.0.0.1/ https://[::1]/
      `),
  ),
  blocked('what a lenient reader takes for something else', [
    'http:\\\\127.0.0.1:PORT\\a.jpg',
    'http:/127.0.0.1:PORT/',
    'http:127.0.0.1:PORT/',
    'http:////127.0.0.1:PORT/',
    'http://127.0.0.1:PORT\\@pictures.example/',
    'http://127.0.0.1:PORT#@pictures.example/',
    'http://127.0.0.1:PORT?@pictures.example/',
    'http://127.0.0.1:PORT/pictures.example/../a.jpg',
    'ht\ntp://127.0.0.1:PORT/',
    'http://127.0.\t0.1:PORT/',
    'http://127.0.0.1:PORT/\r\nX-Injected: 1',
    'http://127.0.0.1:PORT/%0d%0aX-Injected:%201',
    ' http://127.0.0.1:PORT/',
    '\u0001http://127.0.0.1:PORT/',
    'http://@127.0.0.1:PORT/',
    'http://:@127.0.0.1:PORT/',
  ]),
];

const malformed = (trick: string, urls: readonly string[]): AddressClass => ({
  trick,
  refusal: 'malformed',
  urls,
});

/** Addresses that are no http or https address of anything; as a redirect they are blocked or lead nowhere. */
export const MALFORMED_ADDRESSES: readonly AddressClass[] = [
  malformed(
    'other schemes',
    words(`
        file:///etc/passwd file://127.0.0.1/etc/passwd gopher://127.0.0.1:PORT/_PING
        ftp://127.0.0.1:PORT/a.jpg dict://127.0.0.1:PORT/INFO ldap://127.0.0.1:PORT/ ws://127.0.0.1:PORT/
        wss://127.0.0.1:PORT/ data:image/png;base64,iVBORw0KGgo= blob:http://127.0.0.1:PORT/0
        javascript:alert(1) jar:http://127.0.0.1:PORT/!/ redis://127.0.0.1:PORT/ unix:/var/run/docker.sock
        about:blank view-source:http://127.0.0.1:PORT/ httpx://127.0.0.1:PORT/
      `),
  ),
  malformed('names and passwords within', [
    ...words(`
        http://user:secret@127.0.0.1:PORT/ http://pictures.example@127.0.0.1:PORT/
        http://pictures.example:80@127.0.0.1:PORT/ http://user@pictures.example/
        http://%40@127.0.0.1:PORT/ http://a:b:c@127.0.0.1:PORT/
      `),
    'http://pictures.example\t@127.0.0.1:PORT/',
  ]),
  malformed('zone ids and broken hosts', [
    ...words(`
        http://[fe80::1%25eth0]:PORT/ http://[::1%25lo]:PORT/ http://[::1%lo]:PORT/ http://[::1/
        http://::1:PORT/ http://[127.0.0.1]:PORT/ http://[::ffff:127.0.0.1.]:PORT/ http://256.256.256.256/
        http://127.0.0.1.1:PORT/ http://4294967296/ http://0x100000000/ http://0888.1/
        http://127.0.0.1:65536/ http://127.0.0.1:-1/ http://127.0.0.1:eighty/ http://127.0.0.1:PORT:PORT/
      `),
    'http://127.0.0.1 :PORT/',
    'http://127.0.0.1%00.example/',
    'http://local host/',
    ...words('http://<localhost>/ http:// http:/// http://? http://# http://% http://xn--/'),
  ]),
];
