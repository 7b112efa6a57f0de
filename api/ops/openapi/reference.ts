import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const textOf = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/** The parts of the document that do not depend on the code; `headers` are all headers of answers. */
export const FRAME = JSON.parse(textOf('frame.json')) as {
  readonly openapi: string;
  readonly info: object;
  readonly tags: readonly { readonly name: string }[];
  readonly components: { readonly headers: Readonly<Record<string, object>> };
};

const WORDS = new Map(
  textOf('reference.md')
    .split(/^## /m)
    .map((section) => {
      const [, id, summary = '', description = ''] =
        /^(\w+)(?:: (.+?))?\n\n(.+)$/s.exec(section.trimEnd()) ?? [];
      return [id, { summary, description }];
    }),
);

export function wordsOn(id: string): { readonly summary: string; readonly description: string } {
  const words = WORDS.get(id);
  if (!words) throw new Error(`reference.md says nothing of ${id}`);
  return words;
}

const OPTIONAL = 'Optional-';
const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of an answer: `always` on every one, `maybe` on some; the request id is on all. */
export const headersOf = (always: readonly string[], optional: readonly string[] = []) =>
  Object.fromEntries([
    ...['X-Request-Id', ...always].map((name) => [name, reference(name)]),
    ...optional.filter((name) => !always.includes(name)).map((name) => [name, reference(OPTIONAL + name)]),
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
