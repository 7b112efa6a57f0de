import { useEffect, useState } from 'preact/hooks';

/** A value once it has stood still for a while: the end of a word, not each of its letters. */
export function useLater<Value>(value: Value, ms = 250): Value {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
