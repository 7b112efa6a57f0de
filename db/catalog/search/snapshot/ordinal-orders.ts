/** Bytes of an ordinal in an order. */
const ORDINAL_BYTES = 4;

/**
 * The order of a listing turned round: runs of equal rank from last to first, each with its ordinals as they were,
 * because every order ends with the id ascending (contract 4.13).
 *
 * @param order ordinals, four bytes each
 * @param starts positions at which a new rank begins, rising, the first being 0
 */
export function reversedOrder(order: Buffer, starts: readonly number[]): Buffer {
  const reversed = Buffer.allocUnsafe(order.length);
  let written = 0;
  let end = order.length;
  for (let at = starts.length - 1; at >= 0; at--) {
    const start = (starts[at] ?? 0) * ORDINAL_BYTES;
    written += order.copy(reversed, written, start, end);
    end = start;
  }
  return reversed;
}

/** All ordinals in their own order. */
export function ordinalsInOrder(count: number): Buffer {
  const order = Buffer.allocUnsafe(count * ORDINAL_BYTES);
  for (let ordinal = 0; ordinal < count; ordinal++) order.writeUInt32BE(ordinal, ordinal * ORDINAL_BYTES);
  return order;
}
