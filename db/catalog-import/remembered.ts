/** So many are kept; then it begins anew, so that the memory of an import stays flat. */
const REMEMBERED_MAX = 20_000;

/** What was read by id and did not change since: records name the same things again and again. */
export class Remembered<Value> {
  private readonly known = new Map<string, Value>();

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
    if (this.known.size + loaded.size > this.rememberedMax) this.known.clear();
    for (const [id, value] of loaded) this.known.set(id, value);
    return found;
  }

  /** To be told before any of them changes. */
  forget(): void {
    this.known.clear();
  }
}
