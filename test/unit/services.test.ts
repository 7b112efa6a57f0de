import fc from 'fast-check';
import { distributionArchive, parseAptSources } from '../../scripts/lab/services/apt-sources';
import { plannedPackages } from '../../scripts/lab/services/debian-packages';
import { freePort } from '../../scripts/lab/services/free-port';
import { givenServices } from '../../scripts/lab/services/given-services';
import { jestTotals } from '../../scripts/lab/services/jest-totals';
import { postgresParameters, redisSettings } from '../../scripts/lab/services/server-settings';

const DEB822 = `# comment
Types: deb deb-src
URIs: http://archive.example/debian http://mirror.example/debian
Suites: bookworm
 bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
Enabled: no
URIs: http://disabled.example/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://source-only.example/debian
Suites: bookworm
Components: main
`;

describe("the machine's apt sources", () => {
  test('deb822 paragraphs: every URI of an enabled binary archive, with its keys', () => {
    const keys = '/usr/share/keyrings/archive.gpg';
    const common = {
      suites: ['bookworm', 'bookworm-updates'],
      components: ['main', 'contrib'],
      signedBy: keys,
    };
    expect(parseAptSources(DEB822, 'sources')).toEqual([
      { uri: 'http://archive.example/debian', ...common },
      { uri: 'http://mirror.example/debian', ...common },
    ]);
  });

  test('deb822: a key written into the file is not taken for the path of one', () => {
    const text = `${DEB822.split('\n\n')[0]?.replace(/Signed-By:.*/, 'Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .')}\n`;
    expect(parseAptSources(text, 'sources')[0]).not.toHaveProperty('signedBy');
  });

  test('one-line notation: options, comments and source-only lines', () => {
    const text = [
      '# deb http://off.example/debian bookworm main',
      'deb-src http://source.example/debian bookworm main',
      'deb [arch=amd64 signed-by=/keys/a.gpg] http://a.example/debian bookworm main non-free # ours',
      'deb http://b.example/debian ./',
    ].join('\n');
    expect(parseAptSources(text, 'list')).toEqual([
      {
        uri: 'http://a.example/debian',
        suites: ['bookworm'],
        components: ['main', 'non-free'],
        signedBy: '/keys/a.gpg',
      },
      { uri: 'http://b.example/debian', suites: ['./'], components: [] },
    ]);
  });

  test('the archive of the distribution is the one with main of the running release, not its security updates', () => {
    const other = { uri: 'http://other.example', suites: ['bookworm'], components: ['extras'] };
    const security = { uri: 'http://security.example', suites: ['bookworm-security'], components: ['main'] };
    const archive = { uri: 'http://archive.example', suites: ['bookworm'], components: ['main'] };
    expect(distributionArchive([other, security, archive], 'bookworm')).toBe(archive);
    expect(distributionArchive([other, security], 'bookworm')).toBeUndefined();
  });

  test('whatever the text, reading it ends in a list', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('list' as const, 'sources' as const), (text, notation) =>
        Array.isArray(parseAptSources(text, notation)),
      ),
    );
  });
});

test('a simulated installation names what is missing, upgraded packages included', () => {
  const simulation = [
    'NOTE: This is only a simulation!',
    'Inst libpq5 [15.18-0+deb12u1] (15.20-0+deb12u1 Debian-Security:12/oldstable-security [amd64])',
    'Inst redis-tools (5:7.0.15-1~deb12u10 Debian:12.15/oldstable [amd64]) []',
    'Conf redis-tools (5:7.0.15-1~deb12u10 Debian:12.15/oldstable [amd64])',
  ].join('\n');
  expect(plannedPackages(simulation)).toEqual(['libpq5', 'redis-tools']);
});

describe('servers given by their address', () => {
  test('the addresses for tests win over those of the service; an empty one counts as none', () => {
    const environment = {
      TEST_DATABASE_URL: 'postgresql://test',
      DATABASE_URL: 'postgresql://service',
      TEST_REDIS_URL: '',
      REDIS_URL: 'redis://service',
    };
    const given = givenServices(environment);
    expect(given.postgres?.url).toBe('postgresql://test');
    expect(given.redis?.url).toBe('redis://service');
    expect(givenServices({})).toEqual({});
  });

  test('are never stopped, paused or killed', async () => {
    const { redis } = givenServices({ TEST_REDIS_URL: 'redis://theirs' });
    await expect(redis?.kill()).rejects.toThrow('not ours');
    await expect(redis?.pause()).rejects.toThrow('not ours');
    await expect(redis?.stop()).resolves.toBeUndefined();
  });
});

describe('settings of the servers', () => {
  test('PostgreSQL gives up safety for speed unless it is to be durable, and what is given wins', () => {
    expect(postgresParameters({})).toContain('fsync=off');
    expect(postgresParameters({ durable: true })).not.toContain('fsync=off');
    expect(postgresParameters({ settings: { fsync: 'on', work_mem: '64MB' } })).toEqual(
      expect.arrayContaining(['fsync=on', 'work_mem=64MB', 'max_connections=200']),
    );
  });

  test('Redis evicts nothing and keeps a file only when it is to be durable', () => {
    expect(redisSettings({})).toMatchObject({ 'maxmemory-policy': 'noeviction', appendonly: 'no' });
    expect(redisSettings({ durable: true })).toMatchObject({ appendonly: 'yes' });
  });
});

test('a free port is one of the unprivileged ones', async () => {
  expect(await freePort()).toBeGreaterThan(1023);
});

describe('the totals of a Jest run', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 2,
    numRuntimeErrorTestSuites: 1,
    numPendingTests: 3,
    numTodoTests: 4,
  };

  test('a file that could not be run is a failure, and what did not run is told apart', () => {
    expect(jestTotals(JSON.stringify(report))).toEqual({ passed: 5, failed: 3, notRun: 7 });
  });

  test('a report without its counts is refused', () => {
    expect(() => jestTotals('{"numPassedTests":1}')).toThrow('numFailedTests');
  });
});
