import { z } from 'zod';

const BYTES_MAX = 16 * 1024;
const DEPTH_MAX = 64;

/**
 * A shop's own data of a product (contract 1.10): a JSON object, which is kept as its text. What would not come back as it
 * was written is refused.
 */
export const ownData = z.unknown().transform((value, context): string => {
  const fault = isObject(value) ? faultIn(value, DEPTH_MAX) : 'is no object';
  const text = fault === null ? JSON.stringify(value) : '';
  const reason = fault ?? (Buffer.byteLength(text) > BYTES_MAX ? `is longer than ${BYTES_MAX} bytes` : null);
  if (reason === null) return text;
  context.addIssue({ code: 'custom', message: reason });
  return z.NEVER;
});

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function faultIn(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depthLeft === 0) return `is nested deeper than ${DEPTH_MAX} levels`;
  for (const each of Object.values(value)) {
    const fault = faultIn(each, depthLeft - 1);
    if (fault !== null) return fault;
  }
  return null;
}

function numberFault(value: number): string | null {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? null : 'holds a number of more digits than can be kept; write it as a text';
}
