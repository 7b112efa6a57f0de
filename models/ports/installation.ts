import type { ModelReport } from '../indexing/embedding-version';

/** The facts that all processes of an installation must agree on; secrets by their digests. */
export interface ProcessTraits {
  /** Version of Loupe, with the newest schema step that it knows. */
  readonly release: string;
  /** Of the keys that verify links, the signing key first; none in a process without an API. */
  readonly signingKeys: readonly string[];
  /** Identifies the image store; null while it can't be asked. */
  readonly imageStore: string | null;
}

/** A process that embeds, and the versions that it holds ready, or is to. */
export interface WorkerProcess {
  readonly name: string;
  readonly models: readonly ModelReport[];
}

export interface ServiceProcess {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly traits: ProcessTraits;
  /** Null for a process that does not embed. */
  readonly models: readonly ModelReport[] | null;
}

export interface ProcessRegistry {
  /** Records that a process is alive; returns the others. @throws AppError 503 when the database can't be written soon */
  renew(process: ServiceProcess): Promise<readonly ServiceProcess[]>;
  /** Those that are alive; one that has been silent for a while counts as dead. */
  workers(): Promise<readonly WorkerProcess[]>;
  leave(id: string): Promise<void>;
}
