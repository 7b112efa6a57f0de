const PATH_LENGTH_MAX = 1_000;

/** Why a path may not be used inside a bundle or an archive; null when it may. */
export function pathFault(path: string): string | null {
  if (path.length > PATH_LENGTH_MAX) return `longer than ${PATH_LENGTH_MAX} characters`;
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'an absolute path';
  if (path.includes('\\') || path.includes('\0')) return 'a path with a character that it cannot have';
  const segments = segmentsOf(path);
  if (segments.includes('..')) return 'a path that leaves the bundle';
  return segments.length === 0 ? 'an empty path' : null;
}

export const segmentsOf = (path: string): string[] =>
  path.split('/').filter((segment) => segment !== '' && segment !== '.');
