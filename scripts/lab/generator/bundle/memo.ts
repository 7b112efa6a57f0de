/** What `make` makes of a number, made when it is first asked for. */
export function memo<Value>(make: (number: number) => Value): (number: number) => Value {
  const known = new Map<number, Value>();
  return (number) => {
    const found = known.get(number);
    if (found !== undefined) return found;
    const made = make(number);
    known.set(number, made);
    return made;
  };
}
