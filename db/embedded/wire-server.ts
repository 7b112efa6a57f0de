import { createServer, type Socket } from 'node:net';
import type { Engine } from './engine';
import { Session } from './session';

/** The application name by which a process asks the host to live as long as itself; it never queries. */
export const LEASE_NAME = 'loupe lease';

/** The application name of the host's own client, which does not keep the host alive. */
export const HOUSEKEEPER_NAME = 'loupe housekeeper';

/** The SQLSTATE by which clients hear that the database can't be opened. */
export const CANNOT_OPEN = '58000';

export class WireServer {
  readonly server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  private readonly sessions = new Set<Session>();
  private engine: Engine | undefined;
  private isStopping = false;

  /** `onEmpty` is called each time that the last client has left. */
  constructor(
    private readonly holdIdleMs: number,
    private readonly onEmpty: () => void,
  ) {}

  /** Clients that have said who they are, without the host's own. */
  get clients(): number {
    return [...this.sessions].filter(isClient).length;
  }

  /** Begins to answer; clients that connected before have waited for it. */
  serve(engine: Engine): void {
    this.engine = engine;
    for (const session of this.sessions) session.open(engine);
  }

  /** Tells clients that wait for the database that it is opening. */
  notifyAll(message: string): void {
    for (const session of this.sessions) session.notice(message);
  }

  /** Accepts no more clients and resolves when the running turns have ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.engine?.untilIdle();
  }

  refuseAll(message: string, sqlState = '57P01'): void {
    this.isStopping = true;
    for (const session of this.sessions) session.fail(sqlState, message);
  }

  private accept(socket: Socket): void {
    const welcome = () => {
      if (this.isStopping) session.fail('57P03', 'the embedded database is shutting down');
      else if (this.engine) session.open(this.engine);
    };
    const forget = () => {
      this.sessions.delete(session);
      const isLast = isClient(session) && this.clients === 0;
      // The client that gave the last lease back waits for the end of this process, as the database is closed then.
      if (!(isLast && session.applicationName === LEASE_NAME)) socket.end();
      if (isLast) this.onEmpty();
    };
    const session = new Session(socket, this.holdIdleMs, welcome, forget);
    this.sessions.add(session);
  }
}

const isClient = ({ applicationName }: Session): boolean =>
  applicationName !== undefined && applicationName !== HOUSEKEEPER_NAME;
