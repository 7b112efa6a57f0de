import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import type { SigningKey } from '../../db/files/hmac-data-file-signer';
import type { BucketLocation } from '../../db/files/s3-image-store';

/** Node's longest timer; a longer one fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

export const text = (form: RegExp, message: string) => z.string().regex(form, message);

export const wholeNumber = (fallback: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  text(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
    .default(fallback);

export const milliseconds = (fallback: number, minimum = 0) => wholeNumber(fallback, minimum, TIMER_MS_MAX);

export const fraction = () =>
  text(/^\d*\.?\d+$/, 'must be a number from 0 to 1')
    .transform(Number)
    .pipe(z.number().min(0).max(1));

export const listenHost = () =>
  z
    .string()
    .refine(
      (host) => isIP(host) !== 0 || HOST_NAME.test(host),
      'must be an IP address or a host name, without a scheme, a port or brackets',
    );

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/** `host:port,…`; IPv6 in brackets. In lower case. */
export const addressList = () =>
  z
    .string()
    .transform((text) => listed(text.toLowerCase()))
    .refine((list) => list.every(isAddress), 'must be host:port,… without schemes, paths or wildcards')
    .default([]);

export function listed(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

function isAddress(text: string): boolean {
  const [, ipv6, name, port] = /^(?:\[([^\]]+)\]|([^[\]:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 === undefined ? HOST_NAME.test(name ?? '') : isIPv6(ipv6);
  return host && Number(port) >= 1 && Number(port) <= 65_535;
}

/** `*`, or `scheme://host[:port],…`, as browsers name them: in lower case, without the scheme's default port. */
export const origins = () =>
  z
    .string()
    .transform(listed)
    .refine(
      (list) => list.join() === '*' || list.every(isOrigin),
      'must be * or a list of scheme://host[:port], without paths or wildcards',
    )
    .transform((list) => (list.join() === '*' ? ('*' as const) : list.map(originOf)))
    .default([]);

const isOrigin = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/i.test(text) && URL.canParse(text);

function originOf(text: string): string {
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin;
}

/** The address of a store, perhaps with credentials: no message repeats it. */
export const storeUrl = (protocol: RegExp, pathname: RegExp, form: string) =>
  z
    .url({
      protocol,
      error: `must be a URL like ${form}; percent-encode what is special in a name or password (# %23, / %2F, @ %40)`,
      abort: true,
    })
    .regex(/^[^#]*$/, { error: 'has a # in it: write the one of a password as %23', abort: true })
    .refine((text) => pathname.test(new URL(text).pathname), `must be a URL like ${form}`);

/** An address that paths are appended to: no query, fragment or credentials, which each path would break or publish. */
export const baseUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be a URL with http: or https:', abort: true })
    .refine((text) => {
      const { username, password } = new URL(text);
      return username + password === '';
    }, 'must have no user name and no password in it')
    .regex(/^[^?#]*$/, 'must have no query (?) and no fragment (#)')
    .transform((text) => {
      const { origin, pathname } = new URL(text);
      return `${origin}${pathname.replace(/\/+$/, '')}`;
    });

/** `s3://bucket/prefix`; the prefix may be left out. */
export const bucketLocation = () =>
  text(BUCKET_LOCATION, "must be s3://bucket/prefix: a prefix has letters, digits and !-_.*'()/").transform(
    (text): BucketLocation => {
      const [, bucket = '', prefix = ''] = BUCKET_LOCATION.exec(text) ?? [];
      return { bucket, prefix };
    },
  );

const BUCKET_LOCATION =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:(?!\.+(?:\/|$))[\w!.*'()-]+)(?:\/(?!\.+(?:\/|$))[\w!.*'()-]+)*))?\/?$/;

/** Characters that the id of a signing key may have: it appears in every link. */
export const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
export const SECRET_LENGTH_MIN = 16;

/** `id:secret[,id:secret]`. A fault is reported by its position: the value there may be a secret. */
export const signingKeys = () =>
  z
    .string()
    .transform((text) => text.split(','))
    .superRefine((pairs, { addIssue }) => {
      const fault = (message: string) => addIssue({ code: 'custom', message });
      pairs.forEach((pair, at) => {
        const which = pairs.length === 1 ? 'the key' : `key ${at + 1} of ${pairs.length}`;
        const { id, secret } = keyOf(pair);
        if (!pair.includes(':')) fault(`${which} has no id: write id:secret[,id:secret]`);
        else if (!KEY_ID.test(id)) fault(`the id of ${which} must be 1 to 32 of A-Z, a-z, 0-9, _ and -`);
        else if (secret.length < SECRET_LENGTH_MIN)
          fault(`the secret of ${which} must have at least ${SECRET_LENGTH_MIN} characters`);
      });
      const ids = pairs.map((pair) => keyOf(pair).id);
      // Links would be signed with one and verified with the other.
      if (ids.every((id) => KEY_ID.test(id)) && new Set(ids).size < ids.length) fault('names an id twice');
    })
    .transform((pairs) => pairs.map(keyOf));

function keyOf(pair: string): SigningKey {
  const at = pair.indexOf(':');
  return { id: pair.slice(0, Math.max(0, at)).trim(), secret: pair.slice(at + 1).trim() };
}
