/** As many of the same bytes as there is room for. */
export const filled = (unit: Buffer, room: number): Buffer =>
  Buffer.alloc(Math.floor(room / unit.length) * unit.length, unit);

/** One value for each number from 0 on. */
export const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
