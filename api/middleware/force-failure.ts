import {
  type AppError,
  badRequest,
  callStillRuns,
  forbidden,
  headersTooLarge,
  IMAGE_FAULTS,
  type ImageFault,
  insufficientCredits,
  internalError,
  methodNotAllowed,
  notFound,
  payloadTooLarge,
  rateLimited,
  timeout,
  unauthorized,
  unavailable,
  unprocessable,
  unsupportedMediaType,
} from '../../models/errors';
import { callerOf, type Gate } from './call';

const HEADER = 'X-Loupe-Force';
/** Of a 422 without one. */
const DEFAULT_REASON: ImageFault = 'image_undecodable';
const ASKED = `The header ${HEADER} asked for this.`;

/** Refusals that are decided before a key is known to open the endpoint, and tell nothing of its account. */
const BEFORE_KEY = new Set([401, 403, 405, 431]);

/**
 * Gives a test key the refusal that it asks for in `X-Loupe-Force`, before anything is counted or read (contract 9.10):
 * a status, and of a 422 perhaps the reason. 400 for what is neither. A live key is not heard.
 */
export function forceFailure(visionDeadlineMs: number): Gate {
  return (req, res) => {
    const asked = req.get(HEADER);
    if (asked === undefined || !callerOf(res).test) return;
    const failure = failureOf(asked, { methods: res.locals.methods ?? [], visionDeadlineMs });
    if (BEFORE_KEY.has(failure.status)) delete res.locals.caller;
    // Alerts look at how routes fail.
    res.locals.route = 'forced';
    res.locals.isForced = true;
    throw failure;
  };
}

interface Circumstances {
  readonly reason: ImageFault;
  readonly methods: readonly string[];
  readonly visionDeadlineMs: number;
}

/** What is refused with each status (contract 11.2). */
const FAILURES: Readonly<Record<string, (circumstances: Circumstances) => AppError>> = {
  400: () => badRequest(ASKED, { field: HEADER }),
  401: () => unauthorized(),
  402: () => insufficientCredits(),
  403: () => forbidden(ASKED),
  404: () => notFound(ASKED),
  405: ({ methods }) => methodNotAllowed(methods),
  409: () => callStillRuns(),
  413: () => payloadTooLarge(1024 * 1024),
  415: () => unsupportedMediaType(),
  422: ({ reason }) => unprocessable(reason, ASKED),
  429: () => rateLimited(ASKED, { limit: 1, remaining: 0, resetSeconds: 1 }),
  431: () => headersTooLarge(),
  500: () => internalError(ASKED),
  503: () => unavailable(ASKED, 1),
  504: ({ visionDeadlineMs }) => timeout(visionDeadlineMs),
};

function failureOf(asked: string, circumstances: Omit<Circumstances, 'reason'>): AppError {
  const [status = '', given, ...more] = asked.split(' ');
  const reason = IMAGE_FAULTS.find((each) => each === (given ?? DEFAULT_REASON));
  const make = Object.hasOwn(FAILURES, status) ? FAILURES[status] : undefined;
  const isWhole = more.length === 0 && (given === undefined || status === '422');
  if (make && reason && isWhole) return make({ ...circumstances, reason });
  const statuses = Object.keys(FAILURES).join(', ');
  const message = `${HEADER}: must be one of ${statuses}; 422 with a reason such as url_timeout.`;
  throw badRequest(message, { field: HEADER });
}
