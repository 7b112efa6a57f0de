import { editsBetween } from '../../db/catalog/search/misspellings';
import { RESERVATION_MS } from '../../models/access/billing';
import { ENTRY_DEADLINES } from '../../models/vision/jobs/vision-job-runner';
import { type Config, settingNames } from '../config';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that have an effect only together with another one. */
const NEEDS = {
  DATABASE_POOL_MAX: 'DATABASE_URL',
  QUEUE_PREFIX: 'REDIS_URL',
  QUEUES_PASSWORD: 'REDIS_URL',
} as const;

/** Shorter names are too similar to unrelated ones. */
const NAME_LENGTH_MIN = 8;

/** Settings without effect, with a misspelt name, or in an odd combination; a sentence each, without values. */
export function settingWarnings(config: Config, environment: Environment): readonly string[] {
  const given = Object.keys(environment).filter((name) => environment[name]?.trim());
  const warnings = given.flatMap((name) => misspelt(name) ?? []);
  for (const [name, needed] of Object.entries(NEEDS)) {
    if (given.includes(name) && !given.includes(needed))
      warnings.push(`${name} has no effect without ${needed}`);
  }
  if (config.ROLE !== 'all' && config.DATABASE_URL === undefined) {
    warnings.push(
      `ROLE is ${config.ROLE} without DATABASE_URL: all processes must run on this host and share DATA_DIR`,
    );
  }
  if (config.STOP_TIMEOUT_MS < config.VISION_DEADLINE_MS) {
    warnings.push(
      'STOP_TIMEOUT_MS is shorter than VISION_DEADLINE_MS: a stop cuts photos off that are being answered',
    );
  }
  if (ENTRY_DEADLINES * config.VISION_DEADLINE_MS > RESERVATION_MS) {
    warnings.push(
      `VISION_DEADLINE_MS is long: entries of jobs may take ${ENTRY_DEADLINES} times as long, and credits are held for ${RESERVATION_MS} ms`,
    );
  }
  return warnings;
}

function misspelt(name: string): string | null {
  const names = settingNames();
  if (name.length < NAME_LENGTH_MIN || names.includes(name)) return null;
  const meant = names.find(
    (each) => each.length >= NAME_LENGTH_MIN && editsBetween([...name], [...each], 2) <= 2,
  );
  return meant === undefined ? null : `${name} is no setting; was ${meant} meant?`;
}
