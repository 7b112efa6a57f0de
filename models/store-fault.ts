/** Why a store can't be used at the start: its location, the fault and the remedy, without secrets. */
export class StoreFault extends Error {
  /** @param isTransient whether waiting may help: the store is not available yet, or busy */
  constructor(
    message: string,
    readonly isTransient: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'StoreFault';
  }
}

export interface FaultSentence {
  readonly says: string;
  readonly isTransient: boolean;
}

/** A fault that only its operator can end, and one that may pass. */
export const permanent = (says: string): FaultSentence => ({ says, isTransient: false });
export const transient = (says: string): FaultSentence => ({ says, isTransient: true });

/** Connection faults common to all servers; null for faults that only the server's own adapter can name. */
export function networkFault(error: unknown, server: string): FaultSentence | null {
  const code = codeOf(error);
  if (TLS_FAULT.test(code))
    return permanent(
      `its TLS certificate is not trusted here (${code}): NODE_EXTRA_CA_CERTS names the file of its authority`,
    );
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return transient(`nothing listens there: is ${server} running, are host and port right?`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return transient('the host name is not known here: is it spelt right?');
    case 'ECONNRESET':
    case 'EPIPE':
      return transient(`the connection was cut off: is that ${server}, and does it want TLS?`);
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return transient('it does not answer: is a firewall in between?');
    default:
      return null;
  }
}

const TLS_FAULT = /^(ERR_TLS_|ERR_SSL_|EPROTO|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** The code of an error, even if several addresses were tried; empty when it has none. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}
