import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Blocks that `ipaddr.js` calls unicast but that lead to internal hosts or nowhere: local NAT64 (RFC 8215), documentation
 * (RFC 9637), SRv6 SIDs (RFC 9602), deprecated site-local (RFC 3879), IETF protocol assignments (RFC 2928), the former
 * 6bone (RFC 3701), which nobody may route.
 */
const SPECIAL_V6 = [
  '64:ff9b:1::/48',
  '3fff::/20',
  '3ffe::/16',
  '5f00::/16',
  'fec0::/10',
  '2001::/23',
  '2620:4f:8000::/48',
].map((block) => ipaddr.parseCIDR(block));

/** Metadata and platform services on addresses that look public. */
const SPECIAL_V4 = ['168.63.129.16/32', '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24'].map(
  (block) => ipaddr.parseCIDR(block),
);

/** Only this block of IPv6 is assigned as global unicast (IANA). */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address is on the public Internet: in no special-purpose range of the IANA registries, no mapped, translated or
 * tunnelled IPv4 address (NAT64, 6to4, Teredo, ISATAP), no metadata service. @param address anything but a literal IP is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) {
    return parsed.match(GLOBAL_V6) && !SPECIAL_V6.some((block) => parsed.match(block)) && !isIsatap(parsed);
  }
  return !SPECIAL_V4.some((block) => parsed.match(block));
}

/** An IPv4 address within any prefix, behind the interface identifier `0:5efe` or `200:5efe` (RFC 5214, 6.1). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x0200);
}

/** Every address that DNS has for a name, of both families. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/**
 * Resolves names by DNS alone, never by the hosts file or search domains, which name internal hosts. Unlike the system's resolver
 * it blocks no thread of the pool that decodes pictures. @param servers `address:port` of each; default: those of the system
 * @returns a function that rejects with the resolver's error when a name has no address
 */
export function publicResolver(servers: readonly string[] = []): ResolveName {
  const resolver = new Resolver({ timeout: 2500, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
}

/** Names without a dot or under special-use domains (RFC 6761, 6762, 8375, `internal`), which are resolved internally. */
export const isInternalName = (name: string): boolean =>
  /^[^.]*\.?$|(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i.test(name);
