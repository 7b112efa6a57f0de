import { debianSoftware } from './debian-software';
import { startPrivatePostgres } from './private-postgres';
import { startPrivateRedis } from './private-redis';
import type { Provider, ProviderOptions } from './service';

/** Private servers from Debian's (or a descendant's) packages, which are unpacked and not installed. */
export async function debianProvider(options: ProviderOptions): Promise<Provider> {
  const software = await debianSoftware(options);
  return {
    how: `Debian packages: ${software.description}`,
    startPostgres: (settings) => startPrivatePostgres(software, settings),
    startRedis: (settings) => startPrivateRedis(software, settings),
  };
}
