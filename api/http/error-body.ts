import type { AppError } from '../../models/errors';

/** The body of every error (decisions.md 1). */
export const errorBody = (failure: AppError, requestId: string): Record<string, unknown> => ({
  success: false,
  error: failure.code,
  message: failure.message,
  request_id: requestId,
  ...failure.extras,
});
