import { InvalidArgumentError } from 'commander';

/** An option's value as a whole number. @throws InvalidArgumentError, which commander tells */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}
