import { createServer, type Server, type Socket } from 'node:net';
import { ClientConnection, type ConnectionLimits } from './client-connection';
import type { Engine } from './engine';
import { TurnQueue } from './turn-queue';

/** The startup parameter by which a process asks the host to live as long as itself, and that it never queries. */
export const LEASE_PARAMETER = 'loupe_lease';

/** The SQLSTATE by which clients hear that the database can't be opened. */
export const CANNOT_OPEN = '58000';

/** The application name of the host's own client, for whom it does not go on living. */
export const HOUSEKEEPER_NAME = 'loupe housekeeper';

/** Speaks the wire protocol with any number of clients over one database. */
export class WireServer {
  readonly server: Server;
  private readonly connections = new Set<ClientConnection>();
  private turns: TurnQueue | undefined;
  private greeting: Buffer = Buffer.alloc(0);
  private isStopping = false;

  /** `onEmpty` is called each time that the last client has left. */
  constructor(
    private readonly limits: ConnectionLimits,
    private readonly onEmpty: () => void,
  ) {
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  }

  /** Clients that have said who they are, without the host's own. */
  get clients(): number {
    let clients = 0;
    for (const connection of this.connections) if (isClient(connection)) clients += 1;
    return clients;
  }

  /** Begins to answer; clients that connected before have waited for it. */
  serve(engine: Engine): TurnQueue {
    this.turns = new TurnQueue(engine);
    this.greeting = engine.greeting;
    for (const connection of this.connections) connection.openSession(this.turns, this.greeting);
    return this.turns;
  }

  /** Tells those who wait for the database that it is on its way. */
  reassure(message: string): void {
    for (const connection of this.connections) connection.notice(message);
  }

  /** Takes no more clients and resolves when the running turns have ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.turns?.idle();
  }

  /** Tells all clients that they must leave. */
  dismiss(message: string, sqlState = '57P01'): void {
    this.isStopping = true;
    for (const connection of this.connections) connection.fail(sqlState, message);
  }

  private accept(socket: Socket): void {
    const welcome = () => {
      if (this.isStopping) connection.fail('57P03', 'the embedded database is shutting down');
      else if (this.turns) connection.openSession(this.turns, this.greeting);
    };
    const forget = () => this.forget(connection, socket);
    const connection = new ClientConnection(socket, this.limits, welcome, forget);
    this.connections.add(connection);
  }

  private forget(connection: ClientConnection, socket: Socket): void {
    this.connections.delete(connection);
    const isLast = isClient(connection) && this.clients === 0;
    // Who gave the last lease back waits for the end of this process, as then the database is closed.
    if (!(isLast && connection.parameter(LEASE_PARAMETER))) socket.end();
    if (isLast) this.onEmpty();
  }
}

const isClient = (connection: ClientConnection): boolean =>
  connection.isStarted && connection.parameter('application_name') !== HOUSEKEEPER_NAME;
