import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PORTS } from '../../models/ports';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { environmentOf, runLoupeHere } from '../support/run-loupe';
import { temporaryFolder } from '../support/temporary-folder';
import { useWrittenCatalog } from '../support/written-catalog';

/** The commands of `docs/shop.md`, each exactly as written there, beside a service. */
const { service, writer: api } = useWrittenCatalog();
const folder = temporaryFolder();
const guide = readFileSync(join(REPOSITORY_ROOT, 'docs/shop.md'), 'utf8');
const blocks = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text);
const commands = guide.split('\n').filter((line) => line.startsWith('npx loupe '));

const FILES: Readonly<Record<string, string>> = {
  'export.csv': `Handle,Title,Vendor,Type,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Status
guide-a,Guide bag,Maison,Guides,Size,S,G-1,10.00,https://a.example/a.jpg,active
guide-a,,,,,M,G-2,12.00,,
guide-b,Guide draft,Maison,Guides,Title,Default Title,G-3,9.00,,draft
`,
  'feed.xml': `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>guide-c</g:id><g:title>Guide watch</g:title>
<g:link>https://shop.example/c</g:link><g:brand>Maison</g:brand><g:price>5 EUR</g:price>
<g:product_type>Guides</g:product_type></item></channel></rss>`,
  'stock.csv': 'Ref.;Was;Haus;VK;Foto A;Foto B;Lagerort\nguide-d;Guide Tasche;Maison;1.250,50;;;A 7\n',
  'map.json': blocks[0] ?? '',
};

beforeAll(() => {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
});

function run(line: string) {
  const words = line.split(' ').slice(2);
  const here = words.map((word) =>
    word in FILES ? join(folder, word) : word.startsWith('docs/') ? join(REPOSITORY_ROOT, word) : word,
  );
  return runLoupeHere([...here, ...(words[1] === 'import' ? ['--no-wait'] : [])], environmentOf(service));
}

// contract 13.20, 13.22, 14.5
test.each(commands)('%s', async (line) => {
  const { code, stdout, stderr } = await run(line);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('loupe:')]);
  if (line.includes('--dry-run')) expect(stdout).toMatch(/^read as \w+, utf-8, delimiter "[,;]"\n/);
});

// contract 13.20
test('after them the products of the sample, of Shopify and of Google are rows with their prices', async () => {
  const sample = await api.query({ query: 'Ysolard Gondole', includes: ['taxonomy', 'pricing'] });
  expect(sample.body.data[0]).toMatchObject({
    sku: 'S-1001',
    url: 'https://shop.example/products/s-1001',
    images: [expect.stringMatching(/\/images\/[0-9a-f]{64}\.jpg$/)],
    variants: [{ pricing: { pricing_data: [{ region: 'EU-IE' }] } }],
  });
  expect((await api.item('product_guide-a')).body.data[0]).toMatchObject({
    name: 'Guide bag',
    url: 'https://shop.example/products/guide-a',
    variants: [{ fields: [{ field: 'size', name: 'S' }] }, { fields: [{ name: 'M' }] }],
  });
  expect((await api.item('product_guide-c')).status).toBe(200);
  for (const id of ['product_guide-b', 'product_guide-d']) expect((await api.item(id)).status).toBe(404);
});

// contract 13.24
test('catalog show counts products and pictures by category and feed', async () => {
  const { code, stdout } = await run('npx loupe catalog show --json --failures 5');
  const { groups, pictures, failures } = JSON.parse(stdout);
  const nothing = { done: 0, failed: 0 };
  expect(code).toBe(0);
  for (const [group, name, products, pending] of [
    ['feed', 'shopify', 1, 1],
    ['feed', 'google', 1, 0],
    ['category', 'guides', 2, 1],
  ])
    expect(groups).toContainEqual({ group, name, products, pending, ...nothing });
  expect([pictures.failed, failures]).toEqual([0, []]);
});

// contract 15.11, 14.21
test('the status of a feed and the metrics count its products and pictures, failed ones with the reason', async () => {
  const embeddings = service.resolve(PORTS.EmbeddingRepository);
  const { id: version } = await service.liveVersion();
  const [picture] = await embeddings.unembedded(version, ['product_guide-a']);
  if (!picture) throw new Error('no picture waits');
  await embeddings.recordFailures(version, [{ imageId: picture.id, reason: 'the server answered 404' }]);
  const { status, body } = await api.send('GET', '/v3/catalog/feeds/shopify/status');
  const failures = [{ image: 'https://a.example/a.jpg', reason: 'the server answered 404' }];
  const pictures = { embedded: 0, pending: 0, failed: 1 };
  const feed = { success: true, id: 'shopify', products: 1, pictures, failures, credits_used: 0 };
  expect([status, body]).toEqual([200, feed]);
  expect(await api.send('GET', '/v3/catalog/feeds/nobody/status')).toMatchObject({ status: 404 });
  const { text } = await service.anybody.send('GET', '/metrics');
  for (const line of [
    'loupe_catalog_products{group="feed",name="shopify"} 1',
    'loupe_catalog_products{group="category",name="guides"} 2',
    'loupe_catalog_pictures{group="feed",name="shopify",state="failed"} 1',
    'loupe_catalog_pictures{group="category",name="guides",state="embedded"} 0',
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).toMatch(/^loupe_catalog_products\{group="all",name=""\} [1-9]/m);
});

// contract 13.20, 13.23
test.each([
  ['stock.csv --remove-missing', '--remove-missing needs the --feed'],
  ['stock.csv --currency euros', '--currency is a code such as EUR.'],
  ['stock.csv --shop shop.example', '--shop is an https:// address.'],
  ['stock.csv --map stock.csv', 'is no JSON object of fields'],
  ['stock.csv --map none.json', '--map none.json cannot be read: ENOENT'],
  ['stock.csv --map map.json --format xls', "'xls' is invalid"],
  ['none.csv', 'There is no file or folder at'],
  ['https://shop.example/feed.xml', 'An address is not read'],
  ['my-bundle --feed x', '--feed is for tables'],
  ['my-bundle --force', '--force is for tables'],
])('invalid options are refused with the reason: %s', async (words, reason) => {
  const { code, stderr } = await run(`npx loupe catalog import ${words}`);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(reason);
});
