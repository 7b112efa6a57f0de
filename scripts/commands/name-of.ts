import { InvalidArgumentError } from 'commander';

/** The name of an account or a key, as an operator types it. */
export function nameOf(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 200) throw new InvalidArgumentError('must have 1 to 200 characters');
  return name;
}
