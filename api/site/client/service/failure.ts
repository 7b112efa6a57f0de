import type { ErrorAnswer } from './calls';

/** Why a call has no answer. Status 0: the service could not be reached. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly answer: Partial<ErrorAnswer> = {},
    /** Seconds after which another try makes sense; null when the service names none. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

/** What a person reads of a failure. */
export interface FailureWords {
  readonly title: string;
  readonly text: string;
  /** Whether the same call may succeed later. */
  readonly again: boolean;
}

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
  url_blocked: [
    'This address may not be reached',
    'It leads into a private network. Save the picture and drop the file here instead.',
  ],
  url_unreachable: [
    'No picture came from this address',
    'Check the address, or save the picture and drop the file here instead.',
  ],
  url_timeout: [
    'The picture took too long to arrive',
    'The other site is slow. Save the picture and drop the file here instead.',
  ],
  url_status: [
    'The other site did not give the picture away',
    'It may have moved or be for members only. Save the picture and drop the file here instead.',
  ],
};

/** A failure in words that say what to do; the service's own sentence comes first wherever it knows more. */
export function inWords({ status, message, answer }: Failure): FailureWords {
  const photo = PHOTO_WORDS[answer.reason ?? ''];
  if (photo) return { title: photo[0], text: `${message} ${photo[1]}`, again: false };
  switch (status) {
    case 0:
      return navigator.onLine
        ? {
            title: 'The service can’t be reached',
            text: 'It may be stopped or restarting, or the connection broke.',
            again: true,
          }
        : { title: 'You are offline', text: 'Connect to the network and try again.', again: true };
    case 401:
      return { title: 'This key is not accepted', text: 'It is unknown here, or was revoked.', again: false };
    case 402:
      return {
        title: 'Not enough credits',
        text: `${message} Ask whoever runs this service to top the account up; nothing was charged.`,
        again: true,
      };
    case 403:
      return { title: 'This key does not open that', text: message, again: false };
    case 404:
      return { title: 'Not in the catalog', text: message, again: false };
    case 413:
      return { title: 'This picture is too large', text: message, again: false };
    case 429:
      return { title: 'That was too fast', text: message, again: true };
    case 503:
      return { title: 'The service is busy', text: message, again: true };
    case 504:
      return { title: 'This took too long', text: message, again: true };
    case 400:
      return { title: 'This can’t be asked', text: message, again: false };
    default:
      return { title: 'Something failed', text: message, again: true };
  }
}
