/** So many are kept; then it begins anew, so that the memory of an import stays flat. */
const REMEMBERED_MAX = 20_000;

/** What was read by id and did not change since: records name the same things again and again. */
export class Remembered<Value> {
  private known = new Map<string, Value>();

  /** `load` reads what is not known; it leaves unknown ids out. */
  constructor(
    private readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly rememberedMax = REMEMBERED_MAX,
  ) {}

  /** The values of these ids; unknown ids are left out. */
  async get(ids: readonly string[]): Promise<Map<string, Value>> {
    const found = new Map<string, Value>();
    const unknown: string[] = [];
    for (const id of ids) {
      const value = this.known.get(id);
      if (value === undefined) unknown.push(id);
      else found.set(id, value);
    }
    if (unknown.length === 0) return found;
    const loaded = await this.load(unknown);
    for (const [id, value] of loaded) found.set(id, value);
    if (this.known.size + loaded.size > this.rememberedMax) this.known = new Map();
    for (const [id, value] of loaded) this.known.set(id, value);
    return found;
  }

  /** As `get`, but other values may be among them: nothing is copied. */
  async among(ids: readonly string[]): Promise<ReadonlyMap<string, Value>> {
    const unknown = ids.filter((id) => !this.known.has(id));
    if (unknown.length === 0) return this.known;
    const isFull = this.known.size + unknown.length > this.rememberedMax;
    // A new one: others may still look into the one that is full.
    const known = isFull ? new Map<string, Value>() : this.known;
    for (const [id, value] of await this.load(isFull ? ids : unknown)) known.set(id, value);
    if (isFull) this.known = known;
    return known;
  }

  /** To be told before any of them changes. */
  forget(): void {
    this.known = new Map();
  }
}
