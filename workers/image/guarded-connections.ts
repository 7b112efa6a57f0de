import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { isPublicAddress } from './public-address';
import { isInsideName, publicResolver, type ResolveName } from './resolve-public-name';

/** How callers' addresses are dialled. */
export interface ConnectionSettings {
  readonly timeoutMs: number;
  /** `host:port` pairs, as written in the address, that may be reached although they are not public. */
  readonly allow: readonly string[];
  /** How the names of addresses that are not allowed by name are resolved; DNS, unless a test has its own. */
  readonly resolve?: ResolveName | undefined;
}

/** An address, or a name that leads to one, which nobody outside may name. */
export class BlockedAddressError extends Error {}

/**
 * Connections to callers' addresses that are never led inside (contract 7.5): names are resolved once, every address is
 * checked, and a checked address is the one that is dialled.
 */
export class GuardedConnections {
  readonly #guarded: Agent;
  readonly #open: Agent;

  constructor(private readonly settings: ConnectionSettings) {
    const { timeoutMs, resolve } = settings;
    const limits = {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: 16_384,
      pipelining: 0,
    };
    const lookup = publicLookup(resolve ?? publicResolver());
    this.#guarded = new Agent({ ...limits, connect: { timeout: timeoutMs, lookup } });
    this.#open = new Agent({ ...limits, connect: { timeout: timeoutMs } });
  }

  /**
   * What an address may be asked through. One by number is checked here, names are when they are dialled: then the
   * request fails with a `BlockedAddressError`.
   *
   * @throws BlockedAddressError
   */
  to(url: URL): Agent {
    if (this.isAllowed(url)) return this.#open;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 ? isInsideName(host) : !isPublicAddress(host)) throw new BlockedAddressError(host);
    return this.#guarded;
  }

  /** Whether the settings exempt an address. */
  isAllowed({ hostname, port, protocol }: URL): boolean {
    return this.settings.allow.includes(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.destroy(), this.#open.destroy()]);
  }
}

/** Resolves a name once and refuses it when any of its addresses is not public; what it answers is what is dialled. */
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
