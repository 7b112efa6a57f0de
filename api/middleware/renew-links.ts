import { LINK_LIFETIME_MS } from '../../models/catalog/pricing-service';
import type { Clock, DataFileSigner } from '../../models/ports';
import { DATA_FILE_KINDS, type DataFile, REGIONS } from '../../models/pricing/estimate';

/** Signs the links to data files in an answer anew. */
export type LinkRenewal = (answer: unknown) => unknown;

/**
 * An answer that was kept is given to another request, and links are made for the request that they answer (contract 2.5
 * 2.2). One that can't be signed is left out, as in every answer.
 */
export function linkRenewal(signer: DataFileSigner, clock: Clock): LinkRenewal {
  return (answer) => {
    const expiresAt = new Date(clock.now().getTime() + LINK_LIFETIME_MS);
    return renewed(answer, (file) => signer.sign(file, expiresAt));
  };
}

type Sign = (file: DataFile) => string | null;

function renewed(value: unknown, sign: Sign): unknown {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => renewedEntry(each, sign));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, renewed(each, sign)]));
}

/** Links stand in lists, beside their region. */
function renewedEntry(entry: unknown, sign: Sign): unknown[] {
  const link = isObject(entry) ? linkOf(entry['url']) : null;
  if (!isObject(entry) || link === null) return [renewed(entry, sign)];
  const address = sign(link.file);
  return address === null ? [] : [{ ...entry, url: link.base + address }];
}

/** What follows the base of an address of a data file, as `DataFileSigner` makes it. */
const ADDRESS = /^(.*)\/files\/([^/]+)\/([^/]+)\/([^/]+)\.csv\?/;

function linkOf(url: unknown): { readonly base: string; readonly file: DataFile } | null {
  if (typeof url !== 'string') return null;
  const [, base, kindName, variant, regionName] = ADDRESS.exec(url) ?? [];
  const kind = DATA_FILE_KINDS.find((each) => each === kindName);
  const region = REGIONS.find((each) => each === regionName);
  if (base === undefined || kind === undefined || variant === undefined || region === undefined) return null;
  return { base, file: { kind, variantId: decodeURIComponent(variant), region } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
