import { FRAME } from './reference';

const OPTIONAL = 'Optional-';
const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of an answer: `always` on every one, `maybe` on some; the request id is on all. */
export const headersOf = (always: readonly string[], maybe: readonly string[] = []) =>
  Object.fromEntries([
    ...['X-Request-Id', ...always].map((name) => [name, reference(name)]),
    ...maybe.filter((name) => !always.includes(name)).map((name) => [name, reference(OPTIONAL + name)]),
  ]);

/** The headers that a document refers to, in a form for answers that always have them and one for answers that may. */
export function headerComponents(document: object): Record<string, object> {
  const used = JSON.stringify(document);
  const all = Object.entries(FRAME.components.headers).flatMap(([name, header]): [string, object][] => [
    [name, { required: true, ...header }],
    [OPTIONAL + name, header],
  ]);
  return Object.fromEntries(all.filter(([name]) => used.includes(JSON.stringify(reference(name)))));
}
