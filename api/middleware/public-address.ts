import type { Request } from 'express';

/** What a Host header may be made of; anything else would end up in the addresses that we answer with. */
const HOST = /^[A-Za-z0-9._\-:[\]]{1,255}$/;

/** Makes addresses of ours (`/images/…`, `/files/…`) absolute; others stay as they are. */
export type PublicAddress = (address: string) => string;

/** Behind the public base address when one is set, else behind the address that the request was sent to. */
export function publicAddress(req: Request, publicUrl: string | undefined): PublicAddress {
  const base = publicUrl ?? baseOf(req);
  return (address) => (address.startsWith('/') ? base + address : address);
}

function baseOf(req: Request): string {
  if (req.host && HOST.test(req.host)) return `${req.protocol}://${req.host}`;
  const { localAddress = 'localhost', localPort = 0 } = req.socket;
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return `${req.protocol}://${host}:${localPort}`;
}
