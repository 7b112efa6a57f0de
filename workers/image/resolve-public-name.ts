import { Resolver } from 'node:dns/promises';

/** Every address that DNS has for a name, of both families. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2500;
const QUERY_TRIES = 2;

/**
 * Asks DNS itself, never the hosts file or search domains, which name what is inside. Unlike the system's resolver it
 * takes no thread of the pool that decodes pictures, so names that answer slowly hold up nobody else's photo.
 *
 * @param servers `address:port` of each server to ask; those of the system when there is none
 * @returns a function that rejects with the resolver's own error when a name has no address
 */
export function publicResolver(servers: readonly string[] = []): ResolveName {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
}

/**
 * Names without a dot and names under the special-use domains (RFC 6761, 6762, 8375, ICANN's `internal`): what they
 * mean is decided inside, by a hosts file, a container engine or a cloud's metadata service.
 */
const INSIDE = /^[^.]*\.?$|(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/** Whether a name means something on this machine or in its network, whatever a resolver says. */
export const isInsideName = (name: string): boolean => INSIDE.test(name);
