import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isInternalName, isPublicAddress, publicResolver, type ResolveName } from './public-address';

export interface ConnectionSettings {
  /** `host:port` pairs, as written in the address, that may be reached although they are not public. */
  readonly allow: readonly string[];
  /** How the names of addresses that are not allowed by name are resolved; DNS, unless a test has its own. */
  readonly resolve?: ResolveName | undefined;
}

/** An address that callers may not name, or a name that leads to one. */
export class BlockedAddressError extends Error {}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
}

/**
 * Connections to callers' addresses that can never lead to internal hosts (contract 7.5): names are resolved once, every
 * address is checked, and a checked address is the one that is dialled. Each request has a connection of its own.
 */
export class GuardedConnections {
  readonly #lookup: LookupFunction;
  readonly #closing = new AbortController();

  constructor(private readonly settings: ConnectionSettings) {
    this.#lookup = publicLookup(settings.resolve ?? publicResolver());
  }

  /** Checks a numeric address here; names are checked when they are dialled. @throws BlockedAddressError */
  check(url: URL): void {
    // Node would connect to the usual port of the protocol.
    if (url.port === '0') throw new BlockedAddressError(url.host);
    if (this.isAllowed(url)) return;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 ? isInternalName(host) : !isPublicAddress(host)) throw new BlockedAddressError(host);
  }

  isAllowed({ hostname, port, protocol }: URL): boolean {
    return this.settings.allow.includes(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`);
  }

  /**
   * Sends a request; resolves with the headers of the answer. It uses Node's own client, as undici 7 crashes the process when a host
   * closes a paused connection (nodejs/undici#5360). @throws BlockedAddressError
   */
  async request(url: URL, { method, headers, body, signal }: OutgoingRequest): Promise<IncomingMessage> {
    this.check(url);
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request(url, {
      ...{ method, headers, agent: false, auth: null, maxHeaderSize: 16_384 },
      ...(this.isAllowed(url) ? {} : { lookup: this.#lookup }),
      signal: AbortSignal.any([signal, this.#closing.signal]),
    });
    return new Promise((resolve, reject) => {
      sent.on('response', resolve).on('error', reject);
      // An answer that switches protocols does not count as one.
      sent.on('close', () => reject(new Error('the connection ended without an answer'))).end(body);
    });
  }

  close(): void {
    this.#closing.abort();
  }
}

/** Resolves a name once and refuses it when any of its addresses is not public; the returned addresses are the ones dialled. */
function publicLookup(resolve: ResolveName): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(hostname);
      const [first] = addresses;
      if (first === undefined || !addresses.every(isPublicAddress)) throw new BlockedAddressError(hostname);
      return { first, all: addresses.map((address) => ({ address, family: isIP(address) })) };
    };
    answer().then(
      ({ first, all }) => (options.all ? callback(null, all) : callback(null, first, isIP(first))),
      (failure: Error) => callback(failure, '', 0),
    );
  };
}
