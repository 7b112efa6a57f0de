import { randomBytes } from 'node:crypto';
import { access, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port';
import { inPrivateFolder, type PrivateFolder } from './private-folder';
import { PrivateServer } from './private-server';
import type { ObjectStore, ProviderOptions, Service } from './service';
import { libraryPath, unpackedCopy, upstreamVersion } from './unpacked-copy';

/** Raised by one whenever the recipe changes. */
const RECIPE = 'swift-1';

const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];

/**
 * An object store with an S3 API: OpenStack Swift from Debian's packages, unpacked and not installed, on 127.0.0.1 with
 * keys of its own. Its data end with it.
 * @throws Error on machines without apt or the packages.
 */
export async function startPrivateSwift(options: ProviderOptions): Promise<ObjectStore> {
  const swift = await unpackedCopy<string>(
    {
      name: RECIPE,
      async unpack(packages, root) {
        options.log('Debian packages: unpacking OpenStack Swift (nothing is installed)');
        await packages.unpack(PACKAGES, [], root);
        return `OpenStack Swift ${upstreamVersion((await packages.candidate('swift-proxy')) ?? '')}`;
      },
    },
    options,
  );
  const service = await inPrivateFolder('swift', 'swift.pid', 'TERM', (folder) =>
    startIn(folder, swift.root),
  );
  return { ...service, how: `Debian packages: ${swift.found}` };
}

async function startIn(folder: PrivateFolder, root: string): Promise<Service> {
  const port = await freePort();
  const [key, secret] = ['loupe:test', randomBytes(16).toString('hex')];
  // Whom it runs as may not see the folder of the repository.
  const program = join(folder.path, 'swift-server.py');
  await copyFile(join(__dirname, 'swift-server.py'), program);
  const own = join(root, 'usr/bin/python3');
  const server = new PrivateServer(
    {
      name: 'Swift',
      command: await access(own).then(
        () => own,
        () => '/usr/bin/python3',
      ),
      parameters: [program, folder.path, String(port)],
      environment: {
        S3_KEY: key,
        S3_SECRET: secret,
        PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
        PYTHONDONTWRITEBYTECODE: '1',
        LD_LIBRARY_PATH: await libraryPath(root),
        LC_ALL: 'C.UTF-8',
      },
      stopSignal: 'SIGTERM',
      answers: () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          ({ status }) => status < 500,
          () => false,
        ),
    },
    folder,
  );
  await server.start();
  return {
    url: `http://${encodeURIComponent(key)}:${secret}@127.0.0.1:${port}`,
    ...server.methods(),
  };
}
