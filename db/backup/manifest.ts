import { z } from 'zod';

/** Of the file; a reader refuses others. */
export const FORMAT = 1;

/** The last entry of a backup: a file without it was cut off. */
export const MANIFEST = 'manifest.json';
export const SIGNING_KEYS = 'signing-keys.json';

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** What a backup holds. */
export const backupManifest = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime(),
  database: z.object({
    steps: z.array(z.string()).min(1),
    tables: z.array(z.object({ name, columns: z.array(name).min(1) })),
    identities: z.array(z.object({ table: name, column: name, last: z.int() })),
  }),
  /** Every entry but the images, in order. */
  entries: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
  /** Their names are the hashes of their content; `sha256` is that of the names in order, a line each. */
  images: z.object({ count: z.int(), bytes: z.int(), sha256: z.string() }),
});

export type BackupManifest = z.infer<typeof backupManifest>;

/** `tables/<table>.copy.gz`: its rows in the text format of COPY, gzipped. */
export const tableEntry = (table: string): string => `tables/${table}.copy.gz`;
export const tableOf = (entry: string): string | null => /^tables\/(\w+)\.copy\.gz$/.exec(entry)?.[1] ?? null;

/** `images/<sha256>.<extension>`. */
export const IMAGE_ENTRY = /^images\/([0-9a-f]{64})\.(jpg|png|webp)$/;

/** `models/<folder>/<path>`, which lead nowhere else. */
export const MODEL_ENTRY = /^models\/(?!\.)([^/]+)\/((?:(?!\.\.?\/)[^/]+\/)*(?!\.\.?$)[^/]+)$/;
