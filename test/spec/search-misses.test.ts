import { PostgresHousekeepingStore } from '../../db/core/housekeeping-store';
import { SearchMisses } from '../../models/catalog/search-misses';
import { PORTS } from '../../models/ports';
import { Housekeeping } from '../../scripts/composition/housekeeping';
import { environmentOf, runLoupeHere } from '../support/run-loupe';
import { TestService, useService } from '../support/service';

/** contract 5.13, 5.14: searches that find nothing. */
const service = useService({ SEARCH_MISSES: 'on' });
const DAY_MS = 86_400_000;
const store = () => service.resolve(PORTS.SearchMissStore);

async function kept(word: string, since: Date | null = null): Promise<[string, number][]> {
  await service.resolve(SearchMisses).write();
  const misses = await store().mostFrequent(since, Number.MAX_SAFE_INTEGER);
  return misses.filter(({ query }) => query.includes(word)).map((each) => [each.query, each.misses]);
}

async function ask(times: number, body: object, api = service.api): Promise<void> {
  for (let asked = 0; asked < times; asked++) expect((await api.query(body)).status).toBe(200);
}

// contract 5.13
test('a text that finds nothing is counted folded, from the third time on, in any version and scope', async () => {
  await ask(2, { query: 'Zzyzx  ÉTUIS!' });
  expect(await kept('zzyzx')).toEqual([]);
  await ask(1, { query: 'zzyzx etuis', category_id: 'watches', taxonomy_node: 'brand' });
  expect(await kept('zzyzx')).toEqual([['zzyzx etuis', 3]]);
  await service.api.v1({ search: 'zzyzx étuis' });
  for (const _look of [1, 2]) expect(await kept('zzyzx')).toEqual([['zzyzx etuis', 4]]);
});

// contract 5.13
test.each<[string, object, kept?: string]>([
  ['an e-mail address', { query: 'qqfirst.qqlast@mail.example' }],
  ['a telephone number', { query: 'qqcall +371 29 12-34-56' }],
  ['a long number', { query: 'qqcard 4000123412341234' }],
  ['a long number in another script', { query: 'qqcard ٤٠٠٠١٢٣٤' }],
  ['a text over 100 characters', { query: `qq${'x'.repeat(99)}` }],
  ['a text with filters', { query: 'qqfilter', filters: [{ field: 'brand', include: ['brand_hermes'] }] }],
  ['a text without a word', { query: '!!!' }],
  ['a text that finds something', { query: 'birkin qqnothing' }],
])('never kept: %s', async (_what, body) => {
  await ask(3, body);
  expect(await kept('qq')).toEqual([]);
});

// contract 5.13
test('a reference number is kept; what a test key looks for is not counted', async () => {
  await ask(3, { query: 'jjref 126 519' });
  await ask(3, { query: 'jjtest' }, (await service.newKey({ test: true })).api);
  expect(await kept('jj')).toEqual([['jjref 126 519', 3]]);
});

// contract 5.13
test('days are counted separately and summed, and the rare texts of a day are forgotten with it', async () => {
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
test('a day has no more than 1,000 texts, the most frequent of those that arrive together', async () => {
  const texts = Array.from({ length: 1_100 }, (_, at) => ({ query: `mmtext${at}`, misses: at + 3 }));
  await store().add('2026-02-01', texts);
  const more = [
    { query: 'mmother', misses: 9_000 },
    { query: 'mmtext1099', misses: 1 },
  ];
  await store().add('2026-02-01', more);
  const found = await kept('mm');
  expect(found).toHaveLength(1_000);
  expect([found[0], found.at(-1)]).toEqual([
    ['mmtext1099', 1_103],
    ['mmtext100', 103],
  ]);
});

// contract 5.13
test('they are removed after SEARCH_MISS_DAYS, no more at a time than requested', async () => {
  const miss = (query: string) => ({ query, misses: 3 });
  await store().add('2025-01-01', [miss('ppa'), miss('ppb')]);
  const before = new Date('2025-01-02T23:00:00Z');
  const housekeeping = service.resolve(PostgresHousekeepingStore);
  expect(await housekeeping.deleteBefore('search_misses', before, 1)).toBe(1);
  service.clock.advance(2 * DAY_MS);
  const dayBefore = (days: number) =>
    new Date(service.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
  await store().add(dayBefore(91), [miss('ppold')]);
  await store().add(dayBefore(90), [miss('ppyoung')]);
  await service.resolve(Housekeeping).run();
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
test.each([
  ['off', []],
  ['on', [['ssstop', 3]]],
])('with the setting %s what was counted when a process stops is %j', async (setting, expected) => {
  const other = new TestService({ SEARCH_MISSES: setting, ...environmentOf(service) });
  await other.start();
  await ask(3, { query: 'ssstop' }, other.api);
  await other.stop();
  expect(await kept('ss')).toEqual(expected);
});
