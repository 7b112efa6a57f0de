import type { Engine } from './engine';
import { StatementNames } from './statement-names';
import type { TurnQueue, TurnTaker } from './turn-queue';
import { AnswerScanner, Backend, type Frame, Frontend, frame, query, typeOf } from './wire-protocol';

/** Where a session's messages come from and its answers go. */
export interface SessionPeer {
  /** The next whole message, which stays until `shift`. */
  peek(): Frame | undefined;
  shift(): void;
  /** Sends to the client; `sent` is called once the bytes have left, or never will. */
  send(bytes: Buffer, sent: () => void): void;
  /** The client asked to end, or held the database too long without using it. */
  end(reason: 'terminated' | 'idle'): void;
}

export interface SessionLimits {
  /** A client that holds the database without using it for so long loses it. */
  readonly holdIdleMs: number;
  /** Input of one turn that may wait for the database. */
  readonly inputBytesMax: number;
}

/**
 * - `idle`: no turn; `waiting`: in the queue for one
 * - `sending`: has the turn and sends messages; also between the statements of a transaction
 * - `answering`: all of the turn is sent, ReadyForQuery is due
 * - `copying`: the database reads COPY rows
 */
type Phase = 'idle' | 'waiting' | 'sending' | 'answering' | 'copying';

const COPY_FRAMES: ReadonlySet<string> = new Set([Frontend.copyData, Frontend.copyDone, Frontend.copyFail]);
const FRAMES_WHILE_COPYING: ReadonlySet<string> = new Set([...COPY_FRAMES, Frontend.flush, Frontend.sync]);
const BATCH_BYTES = 256 * 1024;

/** What a client may leave behind in the session that all share. */
const FORGET = 'RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP';

/**
 * One client's conversation with the database, cut into turns (see TurnQueue). All clients share one session of the
 * database, as behind a pooler in transaction mode: prepared statements are kept apart, but what `SET`, `LISTEN`,
 * session advisory locks and temporary tables do outside a transaction is seen by all, until the client leaves.
 */
export class Session implements TurnTaker {
  private phase: Phase = 'idle';
  private engine: Engine | undefined;
  private readonly scanner = new AnswerScanner();
  private startedByQuery = false;
  private gone = false;
  private hasForgotten = false;
  private readonly statements: StatementNames;
  private holdTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly peer: SessionPeer,
    private readonly turns: TurnQueue,
    private readonly limits: SessionLimits,
    /** Different for every session. */
    id: number,
  ) {
    this.statements = new StatementNames(`${id}:`);
  }

  /** New messages have come: sends on what may be sent. */
  advance(): void {
    if (this.gone) return;
    if (this.phase === 'idle') this.begin();
    if (this.phase === 'sending' || this.phase === 'copying') this.forward();
    this.watchHold();
  }

  granted(engine: Engine): void {
    this.engine = engine;
    this.phase = 'sending';
    if (this.gone) this.clear('I');
    else this.advance();
  }

  drained(): void {
    this.advance();
  }

  answer(bytes: Buffer): void {
    const acknowledge = () => this.engine?.acknowledge(bytes.length);
    if (this.gone) acknowledge();
    else this.peer.send(bytes, acknowledge);
    for (const mark of this.scanner.scan(bytes)) {
      if (mark.type === Backend.copyInResponse) this.beginCopy();
      else this.endStatement(mark.status);
    }
  }

  /** The client is no more: whatever it began is undone, and the turn given back. */
  leave(): void {
    if (this.gone) return;
    this.gone = true;
    clearTimeout(this.holdTimer);
    // Who never had a turn has left nothing to clear.
    if (this.phase === 'idle' && this.engine) this.turns.request(this);
    else if (this.phase === 'sending') this.send([frame(Frontend.sync)], 'answering');
    else if (this.phase === 'copying') this.failCopy();
  }

  /** Step by step towards a session in which nothing of the client is left. */
  private clear(status: string): void {
    if (status !== 'I') this.send([query('ROLLBACK')], 'answering');
    else if (this.hasForgotten) this.turns.release(this);
    else {
      this.hasForgotten = true;
      this.send([...this.statements.closeAll(), query(FORGET)], 'answering');
    }
  }

  private begin(): void {
    // Rows of a COPY that failed may still be under way; the protocol says to ignore them.
    for (let next = this.peer.peek(); next && COPY_FRAMES.has(typeOf(next)); next = this.peer.peek()) {
      this.peer.shift();
    }
    const first = this.peer.peek();
    if (!first) return;
    if (typeOf(first) === Frontend.terminate) this.peer.end('terminated');
    else {
      this.phase = 'waiting';
      this.turns.request(this);
    }
  }

  private forward(): void {
    if (!this.engine || this.engine.backlog >= this.limits.inputBytesMax) return;
    const batch: Frame[] = [];
    let bytes = 0;
    for (let next = this.peer.peek(); next && bytes < BATCH_BYTES; next = this.peer.peek()) {
      const type = typeOf(next);
      if (this.phase === 'copying' && !FRAMES_WHILE_COPYING.has(type)) break;
      if (type === Frontend.terminate) break;
      this.peer.shift();
      batch.push(this.statements.apply(next));
      bytes += next.length;
      this.follow(type);
      if (this.phase === 'answering') break;
    }
    if (batch.length > 0) this.send(batch, this.phase);
    const next = this.peer.peek();
    if (this.phase === 'sending' && next && typeOf(next) === Frontend.terminate) this.peer.end('terminated');
  }

  /** What the message that is sent on means for the turn. */
  private follow(type: string): void {
    if (this.phase === 'copying') {
      if (type === Frontend.copyDone || type === Frontend.copyFail) {
        this.phase = this.startedByQuery ? 'answering' : 'sending';
      }
      return;
    }
    this.startedByQuery = type === Frontend.query || type === Frontend.functionCall;
    if (this.startedByQuery || type === Frontend.sync) this.phase = 'answering';
  }

  private send(frames: readonly Frame[], phase: Phase): void {
    this.phase = phase;
    const [only] = frames;
    this.engine?.input(frames.length === 1 && only ? only : Buffer.concat(frames));
  }

  private beginCopy(): void {
    this.phase = 'copying';
    if (this.gone) this.failCopy();
    else this.advance();
  }

  private failCopy(): void {
    const failed = frame(Frontend.copyFail, Buffer.from('the client left\0'));
    this.send(this.startedByQuery ? [failed] : [failed, frame(Frontend.sync)], 'answering');
  }

  private endStatement(status: string): void {
    if (this.gone) this.clear(status);
    else if (status === 'I') {
      this.phase = 'idle';
      this.turns.release(this);
      this.advance();
    } else {
      // Within a transaction the database stays with this client.
      this.phase = 'sending';
      this.advance();
    }
  }

  /** While others could use the database, the holder must. */
  private watchHold(): void {
    clearTimeout(this.holdTimer);
    const idles = (this.phase === 'sending' || this.phase === 'copying') && this.engine?.backlog === 0;
    if (!this.gone && idles) this.holdTimer = setTimeout(() => this.peer.end('idle'), this.limits.holdIdleMs);
  }
}
