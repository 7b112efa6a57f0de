/** Passes vectors through a square matrix, by rows, and makes them unit vectors again. */
export function applyMap(map: Float32Array, vector: Float32Array): Float32Array {
  const size = vector.length;
  if (map.length !== size * size) {
    throw new RangeError(`a map of ${map.length} values does not fit a vector of ${size}`);
  }
  const result = new Float32Array(size);
  for (let row = 0; row < size; row += 1) {
    let sum = 0;
    for (let column = 0; column < size; column += 1) {
      sum += (map[row * size + column] ?? 0) * (vector[column] ?? 0);
    }
    result[row] = sum;
  }
  return normalized(result);
}

/** The vector at length 1; one of length 0 stays unchanged. */
export function normalized(vector: Float32Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The mean of vectors, not normalised. */
export function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let at = 0; at < mean.length; at += 1)
      mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0) / vectors.length;
  }
  return mean;
}

export function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

/** The value of 16 bits in half precision (IEEE 754). */
export function valueOfHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}
