import { randomUUID } from 'node:crypto';
import type { Clock, IdSource } from '../../models/ports';

export const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** Version 4 UUIDs (RFC 9562). */
export const RANDOM_IDS: IdSource = { next: () => randomUUID() };
