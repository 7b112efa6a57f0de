/** Memory is taken in pieces of so many bytes. */
const PIECE_BYTES = 256 * 1024;
/** UTF-8 has at most so many bytes for a unit of a string. */
const BYTES_PER_UNIT = 3;

/** A list of texts as bytes outside of V8's heap: what waits there costs its collector nothing. */
export class TextBuffer {
  /** Of all texts. */
  bytes = 0;
  private readonly full: Buffer[] = [];
  private piece = Buffer.allocUnsafe(0);
  private used = 0;
  /** Where each text ends among all bytes. None reaches over the end of a piece. */
  private readonly ends: number[] = [];

  get length(): number {
    return this.ends.length;
  }

  add(text: string): void {
    const lengthMax = text.length * BYTES_PER_UNIT;
    if (this.used + lengthMax > this.piece.length) this.turnPiece(lengthMax);
    const written = this.piece.write(text, this.used);
    this.used += written;
    this.bytes += written;
    this.ends.push(this.bytes);
  }

  /** Adds a text that is in UTF-8 already. */
  addBytes(bytes: Buffer): void {
    if (this.used + bytes.length > this.piece.length) this.turnPiece(bytes.length);
    this.piece.set(bytes, this.used);
    this.used += bytes.length;
    this.bytes += bytes.length;
    this.ends.push(this.bytes);
  }

  /** The text at a position, in UTF-8; empty beyond the last one. */
  at(position: number): Buffer {
    const start = this.ends[position - 1] ?? 0;
    const end = this.ends[position] ?? 0;
    let offset = 0;
    for (const piece of this.pieces()) {
      if (end <= offset + piece.length) return piece.subarray(start - offset, end - offset);
      offset += piece.length;
    }
    return Buffer.alloc(0);
  }

  /** The bytes of all texts but those at these positions. */
  *chunks(without: ReadonlySet<number> = new Set()): Generator<Buffer> {
    if (without.size === 0) {
      yield* this.pieces();
      return;
    }
    let offset = 0;
    let position = 0;
    for (const piece of this.pieces()) {
      const pieceEnd = offset + piece.length;
      for (let start = offset; start < pieceEnd; position += 1) {
        const end = this.ends[position] ?? pieceEnd;
        if (!without.has(position)) yield piece.subarray(start - offset, end - offset);
        start = end;
      }
      offset = pieceEnd;
    }
  }

  private *pieces(): Generator<Buffer> {
    yield* this.full;
    if (this.used > 0) yield this.piece.subarray(0, this.used);
  }

  private turnPiece(atLeast: number): void {
    if (this.used > 0) this.full.push(this.piece.subarray(0, this.used));
    this.piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, atLeast));
    this.used = 0;
  }
}
