/** What ensureEmbedded and the host that it starts say to each other. */

export interface HostOptions {
  /** Folder of everything that belongs to one embedded database: `data`, `run`, `host.log`. */
  readonly folder: string;
  /** Where a new database begins: the folder of a prepared, closed cluster. */
  readonly template?: string;
  /** Whether a commit waits until the disk has it; without, it survives the end of any process, not a loss of power. */
  readonly durable: boolean;
  /** A client that holds the database (within a transaction) without using it for so long is disconnected. */
  readonly holdIdleMs: number;
}

/** While it starts, a host says from time to time that it works. */
export type HostReport = { readonly kind: 'working' } | HostEnd;

/** How a start ended. */
export type HostEnd =
  | { readonly kind: 'ready' }
  /** Another host has the folder: connect to that one. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly reason: string };
