/** What all processes of an installation must agree on; secrets by their digests. */
export interface ProcessTraits {
  /** Version of Loupe, with the newest step of the schema that it knows. */
  readonly release: string;
  /** Of the keys that links are verified with, the one that signs first; none in a process without an API. */
  readonly signingKeys: readonly string[];
  /** Names the store of images; null while it can not be asked. */
  readonly imageStore: string | null;
}

export interface ServiceProcess {
  readonly id: string;
  /** Host and process id, for operators. */
  readonly name: string;
  readonly role: string;
  readonly traits: ProcessTraits;
}

/** The processes of an installation, as its database knows them. */
export interface ProcessRegistry {
  /** Writes that a process lives, and tells which others do. @throws AppError 503 when the database can't be written soon */
  renew(process: ServiceProcess): Promise<readonly ServiceProcess[]>;
  leave(id: string): Promise<void>;
}
