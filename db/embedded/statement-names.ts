import { type Frame, Frontend, frame, typeOf } from './wire-protocol';

const BODY_AT = 5;
const STATEMENT = 'S'.charCodeAt(0);

/** Clients share one session, so each gets a prefix for names of statements; names in SQL (`PREPARE`, `DEALLOCATE`) stay. */
export class StatementNames {
  private readonly known = new Set<string>();

  constructor(private readonly prefix: string) {}

  /** The message with the prefixed name, or itself if it names no statement. */
  apply(message: Frame): Frame {
    const nameAt = statementNameAt(message);
    if (nameAt === undefined || message[nameAt] === 0) return message;
    const type = typeOf(message);
    const name = this.prefix + message.toString('utf8', nameAt, message.indexOf(0, nameAt));
    if (type === Frontend.parse) this.known.add(name);
    if (type === Frontend.close) this.known.delete(name);
    const before = message.subarray(BODY_AT, nameAt);
    return frame(type, Buffer.concat([before, Buffer.from(this.prefix), message.subarray(nameAt)]));
  }

  /** Messages that forget all statements of this client; the database does not mind one that it does not know. */
  closeAll(): Frame[] {
    const messages = [...this.known].map((name) => frame(Frontend.close, Buffer.from(`S${name}\0`)));
    this.known.clear();
    return messages;
  }
}

/** Where a message has the name of a prepared statement. */
function statementNameAt(message: Frame): number | undefined {
  switch (typeOf(message)) {
    case Frontend.parse:
      return BODY_AT;
    case Frontend.bind:
      // The portal's name comes first.
      return message.indexOf(0, BODY_AT) + 1;
    case Frontend.describe:
    case Frontend.close:
      return message[BODY_AT] === STATEMENT ? BODY_AT + 1 : undefined;
    default:
      return undefined;
  }
}
