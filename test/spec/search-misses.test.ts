import { SearchMisses } from '../../models/catalog/search-misses';
import { PORTS, type SearchMissStore } from '../../models/ports';
import { openStores } from '../../scripts/composition/container';
import { Housekeeping } from '../../scripts/composition/housekeeping/housekeeping';
import { environmentOf, runLoupeHere } from '../support/run-loupe';
import { TestService, useService } from '../support/service';

/** contract 5.13, 5.14: what people look for in vain. */
const service = useService({ SEARCH_MISSES: 'on' });
const DAY_MS = 86_400_000;

/** What is kept of texts with a word, once it is written. */
async function kept(word: string, since: Date | null = null): Promise<[string, number][]> {
  await service.resolve(SearchMisses).write();
  const misses = await service
    .resolve<SearchMissStore>(PORTS.SearchMissStore)
    .mostFrequent(since, Number.MAX_SAFE_INTEGER);
  return misses.filter(({ query }) => query.includes(word)).map((each) => [each.query, each.misses]);
}

async function ask(times: number, body: object): Promise<void> {
  for (let asked = 0; asked < times; asked++) {
    expect((await service.api.query(body)).body.total_results).toBe(0);
  }
}

// contract 5.13
test('a text that finds nothing is counted folded, from the third time on, in any version and scope', async () => {
  await ask(2, { query: 'Zzyzx  ÉTUIS!' });
  expect(await kept('zzyzx')).toEqual([]);
  await ask(1, { query: 'zzyzx etuis', category_id: 'watches', taxonomy_node: 'brand' });
  expect(await kept('zzyzx')).toEqual([['zzyzx etuis', 3]]);
  expect((await service.api.v1({ search: 'zzyzx étuis' })).body.total_results).toBe(0);
  expect(await kept('zzyzx')).toEqual([['zzyzx etuis', 4]]);
  expect(await kept('zzyzx')).toEqual([['zzyzx etuis', 4]]);
});

// contract 5.13
test.each<[string, object]>([
  ['an e-mail address', { query: 'qqfirst.qqlast@mail.example' }],
  ['a telephone number', { query: 'qqcall +371 29 12-34-56' }],
  ['a long number', { query: 'qqcard 4000123412341234' }],
  ['a long number in another script', { query: 'qqcard ٤٠٠٠١٢٣٤' }],
  ['a text over 100 characters', { query: `qq${'x'.repeat(99)}` }],
  ['a text with filters', { query: 'qqfilter', filters: [{ field: 'brand', include: ['brand_hermes'] }] }],
  ['a text without a word', { query: '!!!' }],
])('never kept: %s', async (_what, body) => {
  await ask(3, body);
  expect(await kept('qq')).toEqual([]);
});

// contract 5.13
test('a reference number is kept', async () => {
  await ask(3, { query: 'jjref 126 519' });
  expect(await kept('jjref')).toEqual([['jjref 126 519', 3]]);
});

// contract 5.13
test('what a test key looks for is not counted', async () => {
  const api = (await service.newKey({ test: true })).api;
  for (let asked = 0; asked < 3; asked++) await api.query({ query: 'wwtest' });
  expect(await kept('wwtest')).toEqual([]);
});

test('a text that finds something is not counted', async () => {
  for (let asked = 0; asked < 3; asked++) await service.api.query({ query: 'birkin vvnothing' });
  expect(await kept('vvnothing')).toEqual([]);
});

// contract 5.13
test('days are counted apart and summed, and the rare of a day are forgotten with it', async () => {
  await ask(3, { query: 'kkbag' });
  await ask(2, { query: 'kkrare' });
  service.clock.advance(DAY_MS);
  const since = service.clock.now();
  await ask(1, { query: 'kkrare' });
  await ask(4, { query: 'kkbag' });
  expect(await kept('kk')).toEqual([['kkbag', 7]]);
  expect(await kept('kk', since)).toEqual([['kkbag', 4]]);
});

// contract 5.13
test('a day has no more than 1,000 texts, the most frequent of those that come together', async () => {
  const store = service.resolve<SearchMissStore>(PORTS.SearchMissStore);
  const texts = Array.from({ length: 1_100 }, (_, at) => ({ query: `mmtext${at}`, misses: at + 3 }));
  await store.add('2026-02-01', texts);
  await store.add('2026-02-01', [
    { query: 'mmother', misses: 9_000 },
    { query: 'mmtext1099', misses: 1 },
  ]);
  const found = await kept('mm');
  expect(found).toHaveLength(1_000);
  expect(found[0]).toEqual(['mmtext1099', 1_103]);
  expect(found.at(-1)).toEqual(['mmtext100', 103]);
});

// contract 5.13
test('old days are deleted, no more at a time than asked for', async () => {
  const store = service.resolve<SearchMissStore>(PORTS.SearchMissStore);
  await store.add('2025-01-01', [
    { query: 'ooa', misses: 3 },
    { query: 'oob', misses: 3 },
  ]);
  await store.add('2025-01-02', [{ query: 'ooc', misses: 3 }]);
  expect(await store.deleteBefore(new Date('2025-01-02T23:00:00Z'), 1)).toBe(1);
  expect(await store.deleteBefore(new Date('2025-01-02T23:00:00Z'), 10)).toBe(1);
  expect(await kept('oo')).toEqual([['ooc', 3]]);
});

// contract 5.13
test('they are removed after SEARCH_MISS_DAYS', async () => {
  const store = service.resolve<SearchMissStore>(PORTS.SearchMissStore);
  service.clock.advance(2 * DAY_MS);
  const dayBefore = (days: number) =>
    new Date(service.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
  await store.add(dayBefore(91), [{ query: 'ppold', misses: 3 }]);
  await store.add(dayBefore(90), [{ query: 'ppyoung', misses: 3 }]);
  await service.resolve(Housekeeping).look();
  expect(await kept('pp')).toEqual([['ppyoung', 3]]);
});

// contract 5.14
test('loupe search misses lists them, most frequent first', async () => {
  await ask(5, { query: 'uuoften' });
  await ask(3, { query: 'uuseldom' });
  await kept('uu');
  const settings = environmentOf(service);
  const { stdout } = await runLoupeHere(['search', 'misses', '--json', '--limit', '5000'], settings);
  const lastDay = service.clock.now().toISOString().slice(0, 10);
  const listed = (JSON.parse(stdout) as { query: string }[]).filter(({ query }) => query.startsWith('uu'));
  expect(listed).toEqual([
    { query: 'uuoften', misses: 5, lastDay },
    { query: 'uuseldom', misses: 3, lastDay },
  ]);
  const printed = await runLoupeHere(['search', 'misses', '--since', '2999-01-01'], settings);
  expect(printed.stdout).toBe('nothing was counted\n');
});

// contract 5.14
test('what was counted is written when a process stops; without the setting nothing is counted', async () => {
  for (const [setting, expected] of [
    ['off', []],
    ['on', [['ssstop', 3]]],
  ] as const) {
    const other = new TestService({ SEARCH_MISSES: setting, ...environmentOf(service) }, {});
    await other.start();
    for (let asked = 0; asked < 3; asked++) await other.api.query({ query: 'ssstop' });
    await other.stop();
    const { container, close } = await openStores(service.config);
    const misses = await container.resolve<SearchMissStore>(PORTS.SearchMissStore).mostFrequent(null, 5_000);
    await close();
    const found = misses
      .filter(({ query }) => query.startsWith('ss'))
      .map((each) => [each.query, each.misses]);
    expect(found).toEqual(expected);
  }
});
