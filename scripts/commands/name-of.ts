import { InvalidArgumentError } from 'commander';
import { NAME_LENGTH_MAX } from '../../models/access/api-key';

/** The name of an account or a key, as an operator types it. */
export function nameOf(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX) {
    throw new InvalidArgumentError(`must have 1 to ${NAME_LENGTH_MAX} characters`);
  }
  return name;
}
