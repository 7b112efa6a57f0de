import { words } from '../../support/words';
import type { AddressClass } from './inside-addresses';

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
