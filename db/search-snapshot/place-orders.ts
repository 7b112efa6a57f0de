/** Bytes of a place in an order. */
const PLACE_BYTES = 4;

/**
 * The order of a listing turned round: runs of equal rank from last to first, each with its places as they were,
 * because every order ends with the id ascending (decisions.md 7).
 *
 * @param order places, four bytes each
 * @param starts positions at which a new rank begins, rising, the first being 0
 */
export function reversedOrder(order: Buffer, starts: readonly number[]): Buffer {
  const reversed = Buffer.allocUnsafe(order.length);
  let written = 0;
  let end = order.length;
  for (let at = starts.length - 1; at >= 0; at--) {
    const start = (starts[at] ?? 0) * PLACE_BYTES;
    written += order.copy(reversed, written, start, end);
    end = start;
  }
  return reversed;
}

/** All places in their own order. */
export function placesInOrder(count: number): Buffer {
  const order = Buffer.allocUnsafe(count * PLACE_BYTES);
  for (let place = 0; place < count; place++) order.writeUInt32BE(place, place * PLACE_BYTES);
  return order;
}
