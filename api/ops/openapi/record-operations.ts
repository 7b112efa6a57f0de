import { change, json, type Operation, plain } from './operation';
import { idParameter } from './parameters';

const RECORD = idParameter('Id of the record', 'product_birkin_croc');

const SCOPE = 'Needs the scope `catalog:write`. Free.';

/** The endpoints that write the catalog (contract 15). */
export const RECORD_OPERATIONS: readonly Operation[] = [
  json({
    id: 'writeRecords',
    summary: 'Write records of the catalog',
    description: `Up to 1,000 in a call, one a line; each replaces the whole record of its id. What is accepted is found, with its prices, when the answer comes, and by photos once its pictures are embedded.

- A line is an object with one key, the file of a bundle that the record would stand in: \`categories\`, \`tags\`, \`entities\`, \`products\`, \`estimates\`, \`estimate-history\` or \`listings\`.
- Files are taken in that order, whatever the order of the lines. Of lines with the same id the later one stands.
- Pictures are \`https\` addresses.
- A variant belongs to the product that named it last, with its prices; a product that leaves it out hides them.
- A line that is wrong is rejected alone, also for an unknown field, with its \`field\` and \`reason\`; the status is 200 all the same.

${SCOPE}`,
    body: { lines: 'JSON Lines in UTF-8, 10 MiB at most; `application/jsonl` is the same' },
    method: 'put',
    answer: 'RecordsAnswer',
  }),
  json({
    id: 'storeImage',
    summary: 'Store a picture of the catalog',
    description: `The body is the bytes of a JPEG, PNG or WebP; its format is read from them. The same bytes have the same address, which may stand in the \`images\` of a record. A picture that no record names for a while (\`UNUSED_IMAGE_DAYS\`, 7 days unless set) is removed.\n\n${SCOPE}`,
    body: { bytes: ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'] },
    answer: 'ImageAnswer',
    status: 201,
    errors: [422],
  }),
  plain({
    id: 'getRecord',
    summary: 'A record as it was last written',
    description: `A product, an entity or a category, as the line that writes it again: read it, change it, send it back. Its stored pictures are addresses.\n\n${SCOPE}`,
    parameters: [RECORD],
    answer: 'RecordAnswer',
  }),
  change({
    id: 'deleteRecord',
    summary: 'Take a record out of the catalog',
    description: `A product or an entity; a record that is written later brings it back. Not found are unknown and deleted ids, and those of categories, tags and variants.\n\n${SCOPE}`,
    parameters: [RECORD],
    answer: 'DeletionAnswer',
  }),
  plain({
    id: 'getRecordStatus',
    summary: 'How far a record is seen',
    description: `Whether searches find it, and how many of its pictures the live model knows.\n\n${SCOPE}`,
    parameters: [RECORD],
    answer: 'RecordStatusAnswer',
  }),
];
