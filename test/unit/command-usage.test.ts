import { CommanderError } from 'commander';
import { version } from '../../package.json';
import { buildProgram } from '../../scripts/commands/run-command';
import { outcomeOf } from '../../scripts/lab/service-processes';
import { runLoupeHere } from '../support/run-loupe';

const KEY = 'keys create --account x --name n';

test.each<[string, string, RegExp]>([
  ['an unknown command', 'accounts steal', /steal/],
  ['a missing name', 'accounts create', /--name/],
  ['a blank name', 'keys create --account x --name _ --versions v3', /--name/],
  ['an unknown version', `${KEY} --versions v4`, /v1,v2,v3/],
  ['no version', `${KEY} --versions _`, /v1,v2,v3/],
  ['half a credit', 'accounts create --name n --credits 0.5', /--credits/],
  ['an amount that is no number', 'accounts credit x five', /amount/],
  ['a day that does not exist', 'usage --account x --since 2026-02-31', /--since/],
  ['a time that is none', 'usage --account x --until 1', /--until/],
  ['an unknown scope', `${KEY} --versions v3 --scopes catalog:steal`, /catalog:read,vision:identify/],
  ['an expiry that is over', `${KEY} --versions v3 --expires 2020-01-01`, /future/],
  ['an expiry that is none', `${KEY} --versions v3 --expires soon`, /30d/],
  ['half an hour of overlap', 'keys rotate key_1 --overlap 0.5', /--overlap/],
  ['a prediction that is not named', 'predictions show', /predictionId/],
  ['a digest that is none', 'models add model --sha256 abc', /--sha256/],
  ['a port out of range', 'mcp --http 99999', /65535/],
])('wrong usage is %s: %s', async (_what, typed, reason) => {
  const words = typed.split(' ').map((word) => (word === '_' ? ' ' : word));
  const told: string[] = [];
  const program = buildProgram(words);
  for (const command of [program, ...program.commands.flatMap((group) => [group, ...group.commands])])
    command.configureOutput({ writeErr: (text) => told.push(text) });
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow(CommanderError);
  expect(told.join('')).toMatch(reason);
});

test('--version prints the release and nothing else', async () => {
  expect(await outcomeOf({}, '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
});

test('--help on a group and on a command says how it is used', async () => {
  const group = await runLoupeHere(['accounts', '--help'], {});
  expect(group).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: loupe accounts') });
  const command = await runLoupeHere(['keys', 'create', '--help'], {});
  expect(command.code).toBe(0);
  const options = ['account', 'name', 'versions', 'test', 'per-second', 'per-minute', 'concurrency'];
  for (const option of options) expect(command.stdout).toContain(`--${option}`);
});
