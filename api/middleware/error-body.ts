import type { AppError } from '../../models/errors';

/** Characters of a message or a path at most: both may quote what was sent, of any length. */
const TEXT_LENGTH_MAX = 300;

/** The body of every error (contract 11.1). */
export const errorBody = (
  { code, message, extras }: AppError,
  requestId: string,
): Record<string, unknown> => ({
  success: false,
  error: code,
  message: shortened(message),
  request_id: requestId,
  ...extras,
  ...(extras.field === undefined ? {} : { field: shortened(extras.field) }),
});

const shortened = (text: string): string =>
  text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX).replace(/\p{Surrogate}$/u, '')}…`;
