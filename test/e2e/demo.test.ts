import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { promisify } from 'node:util';

// contract 14.4
test('the commands that the demonstration prints answer, also with a photo as large as a phone makes', async () => {
  const text = process.env['E2E_TEXT'] ?? '';
  const commands = text.match(/^ {2}(?:printf|curl)[\s\S]*?(?=\n\n)/gm) ?? [];
  const [, photo = ''] = /base64 < '([^']+)'/.exec(text) ?? [];
  await appendFile(photo, randomBytes(3 * 2 ** 20));
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const words = ['-euo', 'pipefail', '-c', command];
    const { stdout } = await promisify(execFile)('bash', words, { maxBuffer: 2 ** 24 });
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      data: expect.arrayContaining([expect.anything()]),
    });
  }
});
