/** How often each of some values is drawn, in the order in which they are named. */
export const shares = <Value extends string>(
  given: Readonly<Partial<Record<Value, number>>>,
): readonly (readonly [Value, number])[] => Object.entries(given) as [Value, number][];
