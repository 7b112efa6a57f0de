import { EventEmitter, once } from 'node:events';
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export const silent: Logger = pino({ level: 'silent' });

export class LogSink {
  readonly logger: Logger;
  private written: unknown[] = [];
  private readonly events = new EventEmitter();

  constructor() {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.written.push(JSON.parse(chunk.toString()));
        this.events.emit('line');
        done();
      },
    });
    this.logger = pino({ level: 'info' }, sink);
  }

  clear(): void {
    this.written = [];
  }

  /** The lines since the last `clear`, once there are this many. */
  async lines(count: number): Promise<unknown[]> {
    while (this.written.length < count) await once(this.events, 'line');
    return [...this.written];
  }
}
