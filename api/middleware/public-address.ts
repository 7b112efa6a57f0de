import type { Request } from 'express';
import type { ApiSettings } from '../api-services';

/** What a Host header may be made of; anything else would end up in the addresses that we answer with. */
const HOST = /^[A-Za-z0-9._\-:[\]]{1,255}$/;

/** Makes addresses of ours (`/images/…`, `/files/…`) absolute; others stay as they are. */
export type PublicAddress = (address: string) => string;

/** Behind the public base address when one is set, else behind the address that the request was sent to. */
export const publicAddress = (req: Request, { publicUrl, imageBaseUrl }: Bases): PublicAddress =>
  addressBehind(publicUrl ?? baseOf(req), imageBaseUrl);

type Bases = Pick<ApiSettings, 'publicUrl' | 'imageBaseUrl'>;

/** Behind a base without a slash at its end; images behind that of the cache, when there is one (contract 13.11). */
export const addressBehind =
  (base: string, imageBase = base): PublicAddress =>
  (address) => {
    if (!address.startsWith('/')) return address;
    return (address.startsWith('/images/') ? imageBase : base) + address;
  };

function baseOf(req: Request): string {
  if (req.host && HOST.test(req.host)) return `${req.protocol}://${req.host}`;
  const { localAddress = 'localhost', localPort = 0 } = req.socket;
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return `${req.protocol}://${host}:${localPort}`;
}
