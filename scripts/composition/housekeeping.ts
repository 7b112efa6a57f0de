import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { type Logger, PORTS } from '../../models/ports';
import type { Config } from '../config';
import { adapterOf, type Container } from './startup';

export interface RetentionRule {
  readonly kind: string;
  /** Removes some of what has expired, in a short transaction; returns how many. */
  sweep(): Promise<number>;
}

/** In each interval, one process of the installation does the work. */
const TASK = 'housekeeping';
const EVERY_MS = 3_600_000;

/** Removes what has expired, in small steps, in one process of an installation at a time. */
export class Housekeeping {
  readonly removed: Record<string, number>;

  constructor(
    private readonly store: Pick<PostgresHousekeepingStore, 'claim'>,
    private readonly rules: readonly RetentionRule[],
    private readonly logger: Logger,
  ) {
    this.removed = Object.fromEntries(rules.map(({ kind }) => [kind, 0]));
  }

  /** Applies the rules, if it is this process's turn, until the signal. A rule that fails does not stop the others. */
  async run(signal?: AbortSignal): Promise<void> {
    if (!(await this.store.claim(TASK, EVERY_MS))) return;
    for (const rule of this.rules) {
      await this.#sweep(rule, signal).catch((failure: unknown) =>
        this.logger.warn({ task: TASK, kind: rule.kind, reason: String(failure) }, 'a task failed'),
      );
    }
  }

  async #sweep({ kind, sweep }: RetentionRule, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const count = await sweep();
      if (count === 0) return;
      this.removed[kind] = (this.removed[kind] ?? 0) + count;
    }
  }
}

const DAY_MS = 86_400_000;

/** Rows removed by one sweep, within a fraction of a second: a job has up to a hundred entries, a variant years of prices. */
const [ROWS, JOBS, VARIANTS] = [1_000, 20, 50];

/** Imports wait meanwhile, and each removal from a bucket takes a round trip. */
const REMOVED_AT_ONCE = 8;

const DIGITS = '0123456789abcdef';

/** What is removed after how many days; 0 keeps it forever (contract 5.13, 7.12, 13.5, 13.15, 16.8). */
export function retentionRules(config: Config, container: Container): RetentionRule[] {
  const clock = adapterOf(container, PORTS.Clock);
  const store = container.resolve(PostgresHousekeepingStore);
  const { DATA_DIR, PREDICTION_DAYS, REPORT_DAYS, SEARCH_MISS_DAYS, UNUSED_IMAGE_DAYS } = config;
  const reports = [join(DATA_DIR, 'reports')];
  const drafts = [DATA_DIR, join(DATA_DIR, 'images')];
  const rules: readonly (readonly [kind: string, days: number, sweep: (before: Date) => Promise<number>])[] =
    [
      ['predictions', PREDICTION_DAYS, (before) => store.deleteBefore('predictions', before, ROWS)],
      ['vision_jobs', PREDICTION_DAYS, (before) => store.deleteBefore('vision_jobs', before, JOBS)],
      ['search_misses', SEARCH_MISS_DAYS, (before) => store.deleteBefore('search_misses', before, ROWS)],
      // An idempotent call has its own expiry.
      ['idempotent_calls', 1, () => store.deleteBefore('idempotent_calls', clock.now(), ROWS)],
      ['images', UNUSED_IMAGE_DAYS, (before) => sweepImages(container, before)],
      ['variants', UNUSED_IMAGE_DAYS, (before) => store.deleteAwayVariants(before, VARIANTS)],
      ['reports', REPORT_DAYS, (before) => sweepFiles(reports, /^import-.*\.txt$/, before)],
      // A draft that has not been written to for a day was left behind by a killed process.
      ['drafts', 1, (before) => sweepFiles(drafts, DRAFT, before)],
    ];
  return rules
    .filter(([, days]) => days > 0)
    .map(([kind, days, sweep]) => ({
      kind,
      sweep: () => sweep(new Date(clock.now().getTime() - days * DAY_MS)),
    }));
}

/** A sixteenth of the addresses at a time, to hold few of them in memory. */
async function sweepImages(container: Container, unownedBefore: Date): Promise<number> {
  const images = adapterOf(container, PORTS.ImageStore);
  const store = container.resolve(PostgresHousekeepingStore);
  const remove = async (addresses: readonly string[]) => {
    await pMap(addresses, (address) => images.remove(address), { concurrency: REMOVED_AT_ONCE });
  };
  let removed = 0;
  for (const digit of DIGITS) {
    const addresses: string[] = [];
    for await (const address of images.addresses(digit)) addresses.push(address);
    if (addresses.length > 0) removed += await store.collectImages(addresses, unownedBefore, remove);
  }
  return removed;
}

export const DRAFT = /^\.(restore-\w{6}|.*\.part)$/;

/** Removes the files and folders directly in some folders that were last written before a time. */
export async function sweepFiles(folders: readonly string[], form: RegExp, before: Date): Promise<number> {
  let removed = 0;
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      if (!form.test(name) || (await stat(path)).mtime >= before) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}
