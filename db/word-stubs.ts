/** Letters of a word that its stubs are made of. */
const BEGINNING = 7;
/** Words shorter than this have no stubs, and those shorter than the next lack one letter at most. */
const STUBBED_MIN = 3;
const TWO_LACKING_MIN = 6;

/**
 * The stubs of a word of the vocabulary, as the database's `word_stubs` makes them, which explains them (the migration
 * of `search_words.stubs`): here they cost a tenth.
 */
export function wordStubs(word: string): string[] {
  const letters = Array.from(word);
  if (letters.length < STUBBED_MIN) return [];
  const beginning = letters.slice(0, BEGINNING);
  const stubs = [beginning.join('')];
  for (const [i] of beginning.entries()) {
    const once = beginning.toSpliced(i, 1);
    stubs.push(once.join(''));
    if (letters.length < TWO_LACKING_MIN) continue;
    for (let j = i; j < once.length; j++) stubs.push(once.toSpliced(j, 1).join(''));
  }
  return stubs;
}
