import { createHash } from 'node:crypto';
import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HmacDataFileSigner, type SigningKey } from '../../db/files/hmac-data-file-signer';
import { LocalImageStore } from '../../db/files/local-image-store';
import type { DataFile } from '../../models/pricing/estimate';
import { temporaryFolder } from '../support/temporary-folder';

const FILE: DataFile = { kind: 'pricing_data', variantId: 'variant_a/b?c', region: 'EU-UK' };
const EXPIRES = new Date('2026-03-01T13:00:00.900Z');
const BEFORE = new Date('2026-03-01T12:59:59.999Z');
const OLD: SigningKey = { id: 'old', secret: 'a secret of some length' };
const NEW: SigningKey = { id: 'new', secret: 'another secret, as long' };

const queryOf = (path: string | null) =>
  Object.fromEntries(new URL(path ?? '', 'https://loupe').searchParams);

describe('a data-file address', () => {
  const signer = new HmacDataFileSigner([NEW, OLD]);
  const path = signer.sign(FILE, EXPIRES);
  const query = queryOf(path);

  test('names kind, variant and region in its path and is signed by the first key', () => {
    expect(path).toMatch(
      /^\/files\/pricing_data\/variant_a%2Fb%3Fc\/EU-UK\.csv\?expires=1772370000&key=new&signature=[\w-]{43}$/,
    );
    expect(signer.verify(FILE, query, BEFORE)).toBe(true);
  });

  test('is refused with any other letter anywhere in its signature', () => {
    const signature = query['signature'] ?? '';
    for (let index = 0; index < signature.length; index++) {
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_='.replace(
        signature.charAt(index),
        '',
      );
      for (const letter of letters) {
        const tampered = signature.slice(0, index) + letter + signature.slice(index + 1);
        expect(signer.verify(FILE, { ...query, signature: tampered }, BEFORE)).toBe(false);
      }
    }
  });
});

describe('the folder of images', () => {
  const folder = temporaryFolder();
  const store = new LocalImageStore(folder);
  const bytes = Buffer.from('a picture');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const stored = join(folder, digest.slice(0, 2), digest.slice(2, 4));

  test('mends a file that a crash left short, and leaves nothing beside it', async () => {
    await store.put(bytes, 'jpg');
    truncateSync(join(stored, `${digest}.jpg`), 3);
    await store.put(bytes, 'jpg');
    expect(await store.get(`/images/${digest}.jpg`)).toEqual(bytes);
    expect(readdirSync(stored)).toEqual([`${digest}.jpg`]);
  });

  test('answers 503 where it can not write, and leaves nothing half written', async () => {
    const blocked = join(folder, 'no-folder');
    writeFileSync(blocked, '');
    await expect(new LocalImageStore(blocked).put(bytes, 'jpg')).rejects.toMatchObject({ status: 503 });
  });
});
