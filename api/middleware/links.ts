import type { Request, Response } from 'express';
import { DATA_FILE_KINDS, type DataFile, REGIONS } from '../../models/pricing/estimate';
import type { ApiServices, ApiSettings } from '../api-services';

/** Makes our addresses (`/images/…`, `/files/…`) absolute; others stay unchanged. */
export type PublicAddress = (address: string) => string;

/** Signed links live this long (contract 2.5). */
const LIFETIME_MS = 3_600_000;

export interface Links {
  readonly address: PublicAddress;
  /** The signed path of a data file; null if there is no signing key; the link is then left out (contract 2.6). */
  readonly sign: (file: DataFile) => string | null;
}

type Signing = Pick<ApiServices, 'signer' | 'clock'>;

export const linksOf = (req: Request, services: Signing, settings: ApiSettings): Links => ({
  address: publicAddress(req, settings),
  sign: fileSigner(services),
});

/** Based on the public base address when one is set, else on the address that the request was sent to. */
export const publicAddress = (req: Request, { publicUrl, imageBaseUrl }: ApiSettings): PublicAddress =>
  addressBehind(publicUrl ?? baseOf(req), imageBaseUrl);

/** Answers 201 with the location of the new resource. */
export function setCreated(req: Request, res: Response, settings: ApiSettings, path: string): void {
  res.status(201).location(publicAddress(req, settings)(path));
}

/** Behind a base without a slash at its end; images behind that of the cache, when there is one (contract 13.11). */
export const addressBehind =
  (base: string, imageBase = base): PublicAddress =>
  (address) => {
    if (!address.startsWith('/')) return address;
    return (address.startsWith('/images/') ? imageBase : base) + address;
  };

/** Valid forms of a Host header; anything else would end up in the addresses in our answers. */
const HOST = /^[A-Za-z0-9._\-:[\]]{1,255}$/;

function baseOf(req: Request): string {
  if (req.host && HOST.test(req.host)) return `${req.protocol}://${req.host}`;
  const { localAddress = 'localhost', localPort = 0 } = req.socket;
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return `${req.protocol}://${host}:${localPort}`;
}

export const fileSigner =
  ({ signer, clock }: Signing): Links['sign'] =>
  (file) =>
    signer.sign(file, new Date(clock.now().getTime() + LIFETIME_MS));

/** Renews the signed links to data files in the JSON of an answer. */
export type LinkRenewal = (json: string) => string;

/** A link as `presentPricing` writes it, with the comma before it; its address is one that `DataFileSigner` made, none of a shop's `data`. */
const LINK =
  /,?\{"region":"([^"]*)","url":"([^"]*)\/files\/([^"/]+)\/([^"/]+)\/([^"/]+)\.csv\?expires=\d+&key=[^"]+&signature=[\w-]{43}"\}/g;

/** Renews the signed links of kept answers (contract 2.5, 2.6). @returns takes JSON in which no link is cut */
export function linkRenewal(services: Signing): LinkRenewal {
  const sign = fileSigner(services);
  return (json) =>
    json.replace(
      LINK,
      (link, region: string, base: string, kindName: string, variant: string, name: string) => {
        const kind = DATA_FILE_KINDS.find((each) => each === kindName);
        const fileRegion = REGIONS.find((each) => each === name);
        if (kind === undefined || fileRegion === undefined) return link;
        const path = sign({ kind, variantId: decodeURIComponent(variant), region: fileRegion });
        const comma = link.startsWith(',') ? ',' : '';
        return path === null ? '' : `${comma}{"region":"${region}","url":"${base}${path}"}`;
      },
    );
}
