import { badRequest } from '../../models/errors';
import type { ImageInput } from '../../models/vision/image-input';
import { decodeBase64 } from './decode-base64';

/** How a vision body names its photo, before it is looked at. */
export interface ImageParameters {
  readonly url?: string | null | undefined;
  readonly base64?: string | null | undefined;
}

/** Longer than browsers and servers take; reading the name in a URL of megabytes takes seconds. */
const URL_LENGTH_MAX = 8192;

/**
 * The photo of a vision call; `url` wins when both are sent, and `base64` is not looked at then (contract 7.1).
 *
 * @throws AppError 400 that names the field: neither was sent, the URL is no http(s) address or endless, the text no base64
 */
export function toImageInput({ url, base64 }: ImageParameters): ImageInput {
  if (typeof url === 'string') return { kind: 'url', url: toImageUrl(url) };
  if (typeof base64 !== 'string')
    throw badRequest('Send the photo as "url" or as "base64".', { field: 'url' });
  return { kind: 'bytes', bytes: decodeBase64(base64, 'base64') };
}

function toImageUrl(text: string): URL {
  if (text.length > URL_LENGTH_MAX) {
    throw badRequest(`url: must not be longer than ${URL_LENGTH_MAX} characters.`, { field: 'url' });
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw badRequest('url: must be an http or https address.', { field: 'url' });
  }
  if (url.username !== '' || url.password !== '') {
    throw badRequest('url: must not hold a user name or password.', { field: 'url' });
  }
  return url;
}
