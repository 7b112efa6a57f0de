/** What an operator has to mend before anything starts; the message says what it is and what to do, without secrets. */
export class StartRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartRefused';
  }
}
