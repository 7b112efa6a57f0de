/** Limits of the service that a corpus is made for; sizes just under and over them are part of it. */
export interface CorpusLimits {
  readonly bytesMax: number;
  readonly pixelsMax: number;
}

/** What an answer says in short: its status, and behind it the `reason` or `field` of a refusal. */
export type Verdict = string;

/** One hostile request. */
export interface HostileEntry {
  readonly kind: string;
  readonly name: string;
  /** The body as it is sent. Made when it is needed: together they are larger than memory should be. */
  readonly make: () => Buffer;
  /** Beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set where the endpoints differ on it; the others are spread over all vision endpoints. */
  readonly path?: string;
  /** The verdicts that the pages allow; one where they decide it. */
  readonly verdicts: readonly Verdict[];
}

export const ANSWERED: readonly Verdict[] = ['200'];
export const UNDECODABLE: readonly Verdict[] = ['422 image_undecodable'];
export const OTHER_FORMAT: readonly Verdict[] = ['422 image_format'];
export const TOO_LARGE: readonly Verdict[] = ['422 image_too_large'];
/** Harmless damage may be overlooked, and need not. */
export const ANSWERED_OR_UNDECODABLE: readonly Verdict[] = [...ANSWERED, ...UNDECODABLE];
/** What was damaged at random may become anything that a picture can be. */
export const ANYTHING_BUT_A_FAULT: readonly Verdict[] = [
  ...ANSWERED,
  ...UNDECODABLE,
  ...OTHER_FORMAT,
  ...TOO_LARGE,
];

/** A picture sent as plain base64. */
export function picture(
  kind: string,
  name: string,
  make: () => Buffer,
  verdicts: readonly Verdict[],
): HostileEntry {
  return { kind, name, make: () => base64Body(make().toString('base64')), verdicts };
}

/** Pictures of one kind, whose names begin alike. */
export const picturesOf =
  (kind: string, prefix = '') =>
  (name: string, make: () => Buffer, verdicts = ANSWERED_OR_UNDECODABLE): HostileEntry =>
    picture(kind, `${prefix}${name}`, make, verdicts);

/** A body whose base64 is this text; built without an escaping copy, since base64 needs none. */
export const base64Body = (base64: string): Buffer => Buffer.from(`{"base64":"${base64}"}`, 'latin1');
