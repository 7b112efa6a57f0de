import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { PORTS } from '../../../models/ports';
import type { Config } from '../../config';
import { adapterOf, type Container } from '../opening';
import type { RetentionRule } from './housekeeping';

const DAY_MS = 86_400_000;

/** Rows of a sweep: a fraction of a second of the database's time. */
const ROWS = 1_000;

/** Each has up to a hundred rows of its own. */
const JOBS = 20;

/** Each has a history of years. */
const VARIANTS = 50;

/** A draft that has not been written to for so long was left behind by a killed process. */
const DRAFT_DAYS = 1;

/** An idempotent call knows its own end. */
const CALL_DAYS = 1;

/** Imports wait meanwhile, and each removal in a bucket takes a round trip. */
const REMOVED_AT_ONCE = 8;

const DIGITS = '0123456789abcdef';

/** What is removed after how many days, by the settings; 0 keeps it forever. */
export function retentionRules(config: Config, container: Container): RetentionRule[] {
  const clock = adapterOf(container, PORTS.Clock);
  const store = adapterOf(container, PORTS.HousekeepingStore);
  const predictions = adapterOf(container, PORTS.PredictionRepository);
  const misses = adapterOf(container, PORTS.SearchMissStore);
  const jobs = adapterOf(container, PORTS.VisionJobStore);
  const { DATA_DIR, PREDICTION_DAYS, REPORT_DAYS, SEARCH_MISS_DAYS, UNUSED_IMAGE_DAYS } = config;
  const reports = join(DATA_DIR, 'reports');
  const rules: readonly (readonly [kind: string, days: number, sweep: (before: Date) => Promise<number>])[] =
    [
      ['predictions', PREDICTION_DAYS, (before) => predictions.deleteBefore(before, ROWS)],
      ['vision_jobs', PREDICTION_DAYS, (before) => jobs.deleteBefore(before, JOBS)],
      ['search_misses', SEARCH_MISS_DAYS, (before) => misses.deleteBefore(before, ROWS)],
      ['idempotent_calls', CALL_DAYS, () => store.deleteExpiredCalls(ROWS)],
      ['images', UNUSED_IMAGE_DAYS, (before) => sweepImages(container, before)],
      ['variants', UNUSED_IMAGE_DAYS, (before) => store.deleteAwayVariants(before, VARIANTS)],
      ['reports', REPORT_DAYS, (before) => sweepFiles(reports, /^import-.*\.txt$/, before)],
      ['drafts', DRAFT_DAYS, (before) => sweepFiles(DATA_DIR, /^\.(restore-\w{6}|.*\.part)$/, before)],
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
  const store = adapterOf(container, PORTS.HousekeepingStore);
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

/** Files and folders right below a folder that were last written before a time. */
async function sweepFiles(folder: string, form: RegExp, before: Date): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (!form.test(name) || (await stat(path)).mtime >= before) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
