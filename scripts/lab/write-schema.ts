import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEmbedded } from '../../db/core/knex';
import { migrations } from '../../db/migrations';
import { describeSchema } from '../../db/migrations/describe-schema';
import { migrate } from '../../db/migrations/migrate';

/** Writes `db/schema.sql` from the migrations, using a temporary embedded database. */
async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-schema-'));
  const database = await connectEmbedded({ dataDir, durable: false });
  try {
    await migrate(database.knex, migrations);
    writeFileSync(join(__dirname, '../../db/schema.sql'), await describeSchema(database.knex));
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

void main();
