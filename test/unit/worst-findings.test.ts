import type { Finding } from '../../models/indexing/identifiability';
import { WorstFindings } from '../../models/indexing/worst-findings';

const named = (id: string) => ({ id, name: id, taxonomy: [] });

const found = (
  verdict: Finding['verdict'],
  id: string,
  other: string | null,
  distance = 0,
  popularity = 0,
): Finding => ({
  ...{ verdict, product: named(id), popularity, pictures: 1 },
  nearest: other === null ? null : { ...near(distance), product: named(other) },
});

const near = (distance: number) => ({
  ...{ distance, ownDistance: null, differIn: [] },
  pictures: ['/own.jpg', '/other.jpg'] as const,
});

function worstOf(limit: number, findings: readonly Finding[]): WorstFindings {
  const worst = new WorstFindings(limit);
  for (const finding of findings) worst.add(finding);
  return worst;
}

const idsOf = (findings: readonly Finding[]) => findings.map(({ product }) => product.id);

test('the nearest come first, of however many', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => {
    const place = (index * 387) % 1_000;
    return found('confused', `bag_${place}`, `bag_of_${place}`, place / 1_000);
  });
  expect(idsOf(worstOf(3, many).confused)).toEqual(['bag_0', 'bag_1', 'bag_2']);
});

test('two products that are taken for each other are one pair, by the nearer pictures', () => {
  const { confused } = worstOf(2, [
    found('confused', 'a', 'b', 0.2),
    found('confused', 'b', 'a', 0.1),
    found('confused', 'c', 'a', 0.3),
    found('confused', 'd', 'a', 0.4),
  ]);
  expect(confused.map(({ product, isMutual }) => [product.id, isMutual])).toEqual([
    ['b', true],
    ['c', false],
  ]);
});

test('each kind has its list; what nothing is near to comes by popularity', () => {
  const worst = worstOf(5, [
    found('no_picture', 'rare', null, 0, 1),
    found('not_embedded', 'popular', null, 0, 9),
    found('one_picture', 'far', 'a', 0.5),
    found('look_alike', 'like', 'a', 0.1),
    found('one_picture', 'alone', null),
    found('confused', 'confused', 'a', 0.2),
    found('shares_picture', 'shared', 'a', 0),
  ]);
  expect(idsOf(worst.confused)).toEqual(['shared', 'confused']);
  expect(idsOf(worst.singles)).toEqual(['like', 'far']);
  expect(idsOf(worst.missing)).toEqual(['popular', 'rare']);
});
