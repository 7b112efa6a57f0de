import type { Refusal } from '../../../client/schema';

/** Why a call has no answer. Status 0: the service could not be reached. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly answer: Partial<Refusal> = {},
    /** The `Retry-After` of the answer, or null. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

const OTHERWISE = 'Save the picture and drop the file here instead.';

/** By reason of an unusable photo; the text follows the service's own sentence. */
const PHOTO_WORDS: Readonly<Record<string, readonly [title: string, help: string]>> = {
  image_format: [
    'This picture has a format that can’t be read',
    'Save or export the picture as one of these. An iPhone takes such photos with Settings › Camera › Formats › Most Compatible.',
  ],
  image_undecodable: [
    'This picture is damaged',
    'It broke off or was changed on its way. Open it and save it again, or take another.',
  ],
  image_too_large: ['This picture is too large', 'Send a smaller version of it; 2000 pixels are plenty.'],
  url_blocked: ['This address may not be reached', `It leads into a private network. ${OTHERWISE}`],
  url_unreachable: [
    'No picture came from this address',
    'Check the address, or save the picture and drop the file here instead.',
  ],
  url_timeout: ['The picture took too long to arrive', `The other site is slow. ${OTHERWISE}`],
  url_status: [
    'The other site did not send the picture',
    `It may have moved or be for members only. ${OTHERWISE}`,
  ],
};

const TOP_UP = ' Ask the operator of this service to top the account up; nothing was charged.';

/** By status; the text is the service's own sentence, with what follows. */
const STATUS_WORDS: Readonly<Record<number, readonly [title: string, again: boolean, more?: string]>> = {
  400: ['This can’t be asked', false],
  402: ['Not enough credits', true, TOP_UP],
  403: ['This key does not open that', false],
  404: ['Not in the catalog', false],
  413: ['This picture is too large', false],
  429: ['That was too fast', true],
  503: ['The service is busy', true],
  504: ['This took too long', true],
};

/** Describes a failure and the remedy; `again`: whether the same call may succeed later. */
export function describeFailure({ status, message, answer }: Failure) {
  const photo = PHOTO_WORDS[answer.reason ?? ''];
  if (photo) return { title: photo[0], text: `${message} ${photo[1]}`, again: false };
  if (status === 401) {
    return { title: 'This key is not accepted', text: 'It is unknown here, or was revoked.', again: false };
  }
  if (status === 0) {
    const [title, text] = navigator.onLine
      ? ['The service can’t be reached', 'It may be stopped or restarting, or the connection broke.']
      : ['You are offline', 'Connect to the network and try again.'];
    return { title, text, again: true };
  }
  const [title, again, more = ''] = STATUS_WORDS[status] ?? ['Something failed', true];
  return { title, text: message + more, again };
}
