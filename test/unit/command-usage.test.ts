import { CommanderError } from 'commander';
import { buildProgram } from '../../scripts/commands/program';
import { runLoupe } from '../support/run-loupe';

const KEY = ['keys', 'create', '--account', 'x', '--name', 'n', '--versions', 'v3'];

describe('wrong usage is', () => {
  /** Why the words are refused. */
  async function refusal(words: readonly string[]): Promise<string> {
    let told = '';
    const program = buildProgram(words);
    for (const command of [program, ...program.commands.flatMap((group) => [group, ...group.commands])]) {
      command.configureOutput({
        writeErr: (text) => {
          told += text;
        },
      });
    }
    await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow(CommanderError);
    return told;
  }

  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['accounts', 'steal'], /steal/],
    ['a missing name', ['accounts', 'create'], /--name/],
    ['a blank name', ['keys', 'create', '--account', 'x', '--name', ' ', '--versions', 'v3'], /--name/],
    [
      'an unknown version',
      ['keys', 'create', '--account', 'x', '--name', 'n', '--versions', 'v4'],
      /v1,v2,v3/,
    ],
    ['no version', ['keys', 'create', '--account', 'x', '--name', 'n', '--versions', ''], /v1,v2,v3/],
    ['half a credit', ['accounts', 'create', '--name', 'n', '--credits', '0.5'], /--credits/],
    ['an amount that is no number', ['accounts', 'credit', 'x', 'five'], /amount/],
    ['a day that does not exist', ['usage', '--account', 'x', '--since', '2026-02-31'], /--since/],
    ['a time that is none', ['usage', '--account', 'x', '--until', '1'], /--until/],
    ['a scope that does not exist', [...KEY, '--scopes', 'catalog:steal'], /catalog:read,vision:identify/],
    ['an expiry that is over', [...KEY, '--expires', '2020-01-01'], /future/],
    ['an expiry that is none', [...KEY, '--expires', 'soon'], /30d/],
    ['half an hour of overlap', ['keys', 'rotate', 'key_1', '--overlap', '0.5'], /--overlap/],
    ['a prediction that is not named', ['predictions', 'show'], /predictionId/],
  ])('%s', async (_what, words, reason) => {
    expect(await refusal(words)).toMatch(reason);
  });
});

test('--help on a group and on a command says how it is used', async () => {
  const [group, command] = await Promise.all([
    runLoupe(['accounts', '--help'], {}),
    runLoupe(['keys', 'create', '--help'], {}),
  ]);
  expect([group.code, command.code]).toEqual([0, 0]);
  expect(group.stdout).toContain('Usage: loupe accounts');
  for (const option of '--account --name --versions --test --per-second --per-minute --concurrency'.split(
    ' ',
  ))
    expect(command.stdout).toContain(option);
});
