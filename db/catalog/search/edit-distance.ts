/**
 * How many edits make one word of the other, or infinity beyond `editsMax`. An edit inserts, drops or replaces a letter,
 * or swaps two neighbours; no letter is edited twice (optimal string alignment).
 */
export function editsBetween(from: readonly string[], to: readonly string[], editsMax: number): number {
  if (Math.abs(from.length - to.length) > editsMax) return Number.POSITIVE_INFINITY;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(
        cell(previous, column) + 1,
        cell(current, column - 1) + 1,
        cell(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) edits = Math.min(edits, cell(beforePrevious, column - 2) + 1);
      current.push(edits);
    }
    if (least(current) > editsMax) return Number.POSITIVE_INFINITY;
    beforePrevious = previous;
    previous = current;
  }
  const edits = cell(previous, to.length);
  return edits <= editsMax ? edits : Number.POSITIVE_INFINITY;
}

const cell = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;

const least = (row: readonly number[]): number => row.reduce((left, right) => Math.min(left, right));
