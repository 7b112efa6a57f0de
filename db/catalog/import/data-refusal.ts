/** SQLSTATE classes of what is wrong with a value: data exception, integrity violation, program limit exceeded. */
const VALUE_CLASSES = ['22', '23', '54'];

/**
 * The database's words for a value that it can't hold, null for any other failure. The last resort of an import:
 * what its checks let through costs one record, not all that come after it.
 */
export function refusedValue(failure: unknown): string | null {
  if (!(failure instanceof Error) || !('code' in failure) || typeof failure.code !== 'string') return null;
  if (!VALUE_CLASSES.includes(failure.code.slice(0, 2)) || failure.code.length !== 5) return null;
  // Knex puts the whole statement before the words of the database; a COPY does not go through it.
  const words = failure.message.lastIndexOf(' - ');
  return words < 0 ? failure.message : failure.message.slice(words + 3);
}
