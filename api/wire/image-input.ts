import { badRequest } from '../../models/errors';
import type { ImageInput, Region } from '../../models/vision/image-input';
import { decodeBase64 } from './decode-base64';

/** How a vision body names a photo, before it is looked at. */
export interface ImageParameters {
  readonly url?: string | null | undefined;
  readonly base64?: string | null | undefined;
  readonly region?: Region | undefined;
}

/** Longer than browsers and servers take; reading the name in a URL of megabytes takes seconds. */
const URL_LENGTH_MAX = 8192;

/**
 * A photo of a vision call; `url` wins when both are sent, and `base64` is not looked at then (contract 7.1).
 *
 * @param cut photos that were taken out of the body, by what stands for them there
 * @param at path of what names it in the body, with a dot at its end
 * @param index its position in a list
 * @throws AppError 400 that names the field: neither was sent, the URL is no http(s) address or endless, the text no base64
 */
export function toImageInput(
  { url, base64, region }: ImageParameters,
  cut: ReadonlyMap<string, Buffer>,
  at: string,
  index?: number,
): ImageInput {
  const prefix = index === undefined ? at : `${at}images.${index}.`;
  const rest = { region, index };
  if (typeof url === 'string') return { kind: 'url', url: toHttpUrl(url, `${prefix}url`), ...rest };
  if (typeof base64 !== 'string') {
    throw badRequest('Send the photo as "url" or as "base64".', { field: `${prefix}url` });
  }
  return { kind: 'bytes', bytes: cut.get(base64) ?? decodeBase64(base64, `${prefix}base64`), ...rest };
}

/**
 * A caller's address, of whatever it names.
 *
 * @throws AppError 400 that names the field: it is no http(s) address, endless, or holds credentials
 */
export function toHttpUrl(text: string, field: string): URL {
  if (text.length > URL_LENGTH_MAX) {
    throw badRequest(`${field}: must not be longer than ${URL_LENGTH_MAX} characters.`, { field });
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw badRequest(`${field}: must be an http or https address.`, { field });
  }
  if (url.username !== '' || url.password !== '') {
    throw badRequest(`${field}: must not hold a user name or password.`, { field });
  }
  return url;
}
