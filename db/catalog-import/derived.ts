/** So many are kept; then it begins anew, so that memory stays flat. */
const KEPT_MAX = 20_000;
/** Longer texts hardly ever come again. */
const LENGTH_MAX = 100;

/** What follows from a text alone, derived once for texts that come again and again. */
export class Derived<Value> {
  private readonly kept = new Map<string, Value>();

  constructor(private readonly derive: (text: string) => Value) {}

  of(text: string): Value {
    const known = this.kept.get(text);
    if (known !== undefined) return known;
    const value = this.derive(text);
    if (text.length > LENGTH_MAX) return value;
    if (this.kept.size >= KEPT_MAX) this.kept.clear();
    this.kept.set(text, value);
    return value;
  }
}
