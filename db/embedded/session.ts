import { ClientConnection } from './client-connection';
import type { Engine, TurnClient } from './engine';
import { type Frame, Frontend, frame, query, ReadyScanner, typeOf } from './wire-protocol';

/**
 * - `idle`: no turn; `waiting`: in the queue for one
 * - `sending`: has the turn and sends messages; also between the statements of a transaction
 * - `answering`: all of the turn is sent, one ReadyForQuery is due
 * - `copying`: the database waits for COPY rows
 */
type Phase = 'idle' | 'waiting' | 'sending' | 'answering' | 'copying';

const FRAMES_OF_A_TURN: ReadonlySet<string> = new Set(
  Object.values(Frontend).filter((type) => type !== Frontend.terminate),
);
const COPY_FRAMES: ReadonlySet<string> = new Set([Frontend.copyData, Frontend.copyDone, Frontend.copyFail]);

/** Ignored by a COPY, but not after it has failed: these wait until the database has read what came before. */
const IGNORED_BY_COPY: ReadonlySet<string> = new Set([Frontend.flush, Frontend.sync]);

/** Fails, together with everything before it since the last Sync. */
const EXECUTE_UNKNOWN = frame(Frontend.execute, Buffer.from('loupe: the client left\0\0\0\0\0'));

const BATCH_BYTES = 256 * 1024;

/** Input of one turn that may wait for the database. */
const INPUT_BYTES_MAX = 1024 * 1024;

/** Clears what a client may leave behind in the shared session. */
const RESET_SESSION = 'RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP';

let sessions = 0;

/**
 * One client's conversation with the database, cut into turns (see Engine). All clients share one session of the
 * database, as behind a pooler in transaction mode: prepared statements are kept apart, but what `SET`, `LISTEN`,
 * session advisory locks and temporary tables do outside a transaction is seen by all, until the client leaves.
 */
export class Session extends ClientConnection implements TurnClient {
  private phase: Phase = 'idle';
  private engine: Engine | undefined;
  private readonly scanner = new ReadyScanner();
  /** Whether the last message was a simple query, which is answered with ReadyForQuery without a Sync. */
  private startedByQuery = false;
  /** Whether an Execute is under way that may turn out to be a COPY. */
  private mayCopy = false;
  private hadTurn = false;
  private hasForgotten = false;
  private readonly statements = new StatementNames(`${++sessions}:`);
  private holdTimer: NodeJS.Timeout | undefined;

  /** Tells a client that has identified itself that it may query. */
  open(engine: Engine): void {
    if (this.applicationName === undefined || this.gone || this.engine) return;
    this.engine = engine;
    this.socket.write(engine.greeting);
    this.advance();
  }

  /** New messages have come, or the database went on: sends what may be sent. */
  advance(): void {
    if (!this.engine) return;
    if (this.gone) this.unwind();
    else {
      this.observe();
      if (this.phase === 'idle') this.begin();
      if (this.phase === 'sending' || this.phase === 'copying') this.forward();
      this.watchHold();
    }
  }

  granted(): void {
    this.hadTurn = true;
    this.phase = 'sending';
    if (this.gone) this.clear('I');
    else this.advance();
  }

  answer(bytes: Buffer): void {
    const acknowledge = () => this.engine?.acknowledge(bytes.length);
    if (this.gone) acknowledge();
    else this.reply(bytes, acknowledge);
    for (const status of this.scanner.scan(bytes)) this.endStatement(status);
  }

  protected undo(): void {
    clearTimeout(this.holdTimer);
    // A client that never had a turn has left nothing to clear.
    if (this.phase === 'idle' && this.hadTurn) this.engine?.request(this);
    else this.unwind();
  }

  /** Completes the turn of a client that left, up to its ReadyForQuery. */
  private unwind(): void {
    if (this.phase === 'idle' || this.phase === 'waiting') return;
    if (this.engine?.awaitsInput) {
      const failed = frame(Frontend.copyFail, Buffer.from('the client left\0'));
      this.send(this.startedByQuery ? [failed] : [failed, frame(Frontend.sync)], 'answering');
    } else if (this.engine?.isIdle) {
      // A Sync alone would commit statements that were executed but that nobody asked to keep yet.
      this.send([EXECUTE_UNKNOWN, frame(Frontend.sync)], 'answering');
    }
  }

  /** One step of resetting the session after its client left. */
  private clear(status: string): void {
    if (status !== 'I') this.send([query('ROLLBACK')], 'answering');
    else if (this.hasForgotten) this.engine?.release(this);
    else {
      this.hasForgotten = true;
      this.send([...this.statements.closeAll(), query(RESET_SESSION)], 'answering');
    }
  }

  private observe(): void {
    if (this.phase === 'idle' || this.phase === 'waiting') return;
    if (this.engine?.awaitsInput) this.phase = 'copying';
    // After an error the database ignores all up to a Sync, queries too: it is done, and no answer will come.
    else if (this.engine?.isIdle) this.phase = 'sending';
  }

  private begin(): void {
    // Rows of a COPY that failed may still be under way; the protocol says to ignore them.
    for (let next = this.peek(); next && COPY_FRAMES.has(typeOf(next)); next = this.peek()) {
      this.shift();
    }
    const first = this.peek();
    if (!first) return;
    if (FRAMES_OF_A_TURN.has(typeOf(first))) {
      this.phase = 'waiting';
      this.engine?.request(this);
    } else this.refuse(first);
  }

  private forward(): void {
    const { engine } = this;
    if (!engine || engine.backlog >= INPUT_BYTES_MAX) return;
    if (engine.isIdle) this.mayCopy = false;
    const batch: Frame[] = [];
    let bytes = 0;
    for (let next = this.peek(); next && bytes < BATCH_BYTES; next = this.peek()) {
      const isIgnored = this.phase === 'copying' && IGNORED_BY_COPY.has(typeOf(next));
      if (!this.accepts(next) || (isIgnored && batch.length > 0)) break;
      this.shift();
      if (isIgnored) continue;
      batch.push(this.statements.apply(next));
      bytes += next.length;
      this.follow(typeOf(next));
      if (this.phase === 'answering') break;
    }
    if (batch.length > 0) this.send(batch, this.phase);
    else this.refuseMisfit();
  }

  /** Whether the database can read this message where it is now. */
  private accepts(message: Frame): boolean {
    const type = typeOf(message);
    if (IGNORED_BY_COPY.has(type)) return this.phase !== 'copying' || this.engine?.awaitsInput === true;
    if (this.phase === 'copying' || this.mayCopy) return COPY_FRAMES.has(type);
    return FRAMES_OF_A_TURN.has(type);
  }

  private follow(type: string): void {
    if (this.phase === 'copying') {
      const isEnd = type === Frontend.copyDone || type === Frontend.copyFail;
      if (isEnd) this.phase = this.startedByQuery ? 'answering' : 'sending';
      return;
    }
    if (type === Frontend.execute) this.mayCopy = true;
    if (COPY_FRAMES.has(type)) return;
    this.startedByQuery = type === Frontend.query || type === Frontend.functionCall;
    if (this.startedByQuery || type === Frontend.sync) this.phase = 'answering';
  }

  /** A message that will not fit later either ends the connection; one after an Execute may only have to wait. */
  private refuseMisfit(): void {
    const next = this.peek();
    if (!next) return;
    const fitsLater = this.phase === 'copying' ? IGNORED_BY_COPY : FRAMES_OF_A_TURN;
    if (!fitsLater.has(typeOf(next))) this.refuse(next);
  }

  private refuse(message: Frame): void {
    if (typeOf(message) === Frontend.terminate) this.leave();
    else this.fail('08P01', 'a message of a type that the protocol does not have');
  }

  private send(frames: readonly Frame[], phase: Phase): void {
    this.phase = phase;
    const [only] = frames;
    this.engine?.input(frames.length === 1 && only ? only : Buffer.concat(frames));
  }

  private endStatement(status: string): void {
    this.mayCopy = false;
    if (this.gone) this.clear(status);
    else {
      // Within a transaction the database stays with this client.
      this.phase = status === 'I' ? 'idle' : 'sending';
      if (status === 'I') this.engine?.release(this);
      this.advance();
    }
  }

  /** Limits how long a client may hold the database without using it, while all others wait. */
  private watchHold(): void {
    clearTimeout(this.holdTimer);
    const holds = this.phase === 'sending' || this.phase === 'copying';
    const databaseWaits = this.engine?.isIdle || this.engine?.awaitsInput;
    if (this.gone || !holds || !databaseWaits) return;
    const { holdIdleMs } = this;
    const end = () => this.fail('25P03', `idle within a transaction for over ${holdIdleMs} ms: rolled back`);
    this.holdTimer = setTimeout(end, holdIdleMs);
  }
}

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
