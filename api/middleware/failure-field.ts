/** A property of something thrown, whatever that is; undefined when it has none. */
export function failureField(failure: unknown, name: string): unknown {
  return typeof failure === 'object' && failure !== null ? Reflect.get(failure, name) : undefined;
}
