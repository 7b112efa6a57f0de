/** A value whose JSON is made already: what thousands of rows hold is made once. */
export class PreparedJson {
  private constructor(readonly text: string) {}

  static of(value: object): PreparedJson {
    return new PreparedJson(JSON.stringify(value));
  }

  static list(values: readonly PreparedJson[]): PreparedJson {
    return new PreparedJson(`[${values.map(({ text }) => text).join(',')}]`);
  }

  /** As part of another value. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
