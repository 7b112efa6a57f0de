import { EventEmitter, once } from 'node:events';
import { type Logger, pino } from 'pino';

export const silent: Logger = pino({ level: 'silent' });

export class LogSink {
  private written: unknown[] = [];
  private readonly events = new EventEmitter();
  readonly logger: Logger = pino(
    { level: 'info' },
    {
      write: (line: string) => {
        this.written.push(JSON.parse(line));
        this.events.emit('line');
      },
    },
  );

  clear(): void {
    this.written = [];
  }

  /** The lines since the last `clear`, once there are this many. */
  async lines(count: number): Promise<unknown[]> {
    while (this.written.length < count) await once(this.events, 'line');
    return [...this.written];
  }
}
