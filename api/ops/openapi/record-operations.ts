import { BODY_HEADERS, billed, LIMITS, type Operation, WITH_BODY, WITH_KEY } from './operation';

const SCOPE = 'Needs the scope `catalog:write`. Free.';

/** The endpoints that write the catalog (contract 15). */
export const RECORD_OPERATIONS: readonly Operation[] = [
  billed({
    id: 'writeRecords',
    method: 'put',
    tag: 'v3',
    summary: 'Write records of the catalog',
    description: `Up to 1,000 in a call, one a line; each replaces the whole record of its id. What is accepted is found, with its prices, when the answer comes, and by photos once its pictures are embedded.

- A line is an object with one key, the file of a bundle that the record would stand in: \`categories\`, \`tags\`, \`entities\`, \`products\`, \`estimates\`, \`estimate-history\` or \`listings\`.
- Files are taken in that order, whatever the order of the lines. Of lines with the same id the later one stands.
- Pictures are \`https\` addresses.
- A line that is wrong is rejected alone, with its \`field\` and \`reason\`; the status is 200 all the same.

${SCOPE}`,
    version: 'v3',
    body: { lines: 'JSON Lines in UTF-8, 10 MiB at most; `application/jsonl` is the same' },
    answer: { schema: 'RecordsAnswer' },
    errors: WITH_BODY,
  }),
  billed({
    id: 'deleteRecord',
    method: 'delete',
    tag: 'v3',
    summary: 'Take a record out of the catalog',
    description: `A product or an entity; a record that is written later brings it back. Not found are unknown and deleted ids, and those of categories, tags and variants.\n\n${SCOPE}`,
    version: 'v3',
    answer: { schema: 'DeletionAnswer' },
    errors: [...WITH_KEY, 404, 409],
    maybe: BODY_HEADERS,
  }),
  billed({
    id: 'showRecordStatus',
    method: 'get',
    tag: 'v3',
    summary: 'How far a record is seen',
    description: `Whether searches find it, and how many of its pictures the live model knows.\n\n${SCOPE}`,
    version: 'v3',
    answer: { schema: 'RecordStatusAnswer' },
    errors: [...WITH_KEY, 404],
    maybe: LIMITS,
  }),
];
