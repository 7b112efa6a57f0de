import type { z } from 'zod';

/* How callers and operators are told what is wrong with a body, a parameter or a record. */

/** The first issue; of several limits that a value exceeds, the last, which is its own and not that of all whole numbers. */
export function firstIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [first] = issues;
  return issues.findLast(({ code, path }) => code === first?.code && path.join('.') === first.path.join('.'));
}

/** Which limit or list of values an input misses, in words; undefined keeps those of zod. */
export function limitReason(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const unit = issue.origin === 'string' ? 'characters' : issue.origin === 'array' ? 'items' : null;
  const limit = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  if (unit === null) return `must be ${limit}`;
  return limit === 'at least 1' ? 'must not be empty' : `must have ${limit} ${unit}`;
}
