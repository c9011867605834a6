import t from 'tap'
import { loadConfig, type SettingsError } from '../../../src/config.ts'
import { parseRedisAddress, type RedisAddress } from '../../../src/settings/redis-address.ts'
import { BASE_SETTINGS } from '../../support/build.ts'

const READ: Array<[url: string, address: RedisAddress]> = [
  ['redis://cache', { kind: 'single', nodes: [{ host: 'cache', port: 6379 }], tls: false, db: 0 }],
  ['redis://127.0.0.1:6380/3', { kind: 'single', nodes: [{ host: '127.0.0.1', port: 6380 }], tls: false, db: 3 }],
  ['redis://[::1]:6380/', { kind: 'single', nodes: [{ host: '::1', port: 6380 }], tls: false, db: 0 }],
  [
    'redis://:p%40ss%2Fword@cache',
    { kind: 'single', nodes: [{ host: 'cache', port: 6379 }], tls: false, password: 'p@ss/word', db: 0 },
  ],
  [
    'rediss://ann:secret@cache.example.com:6390',
    {
      kind: 'single',
      nodes: [{ host: 'cache.example.com', port: 6390 }],
      tls: true,
      username: 'ann',
      password: 'secret',
      db: 0,
    },
  ],
  [
    'redis-cluster://h1:7000,h2:7001,h3',
    {
      kind: 'cluster',
      nodes: [
        { host: 'h1', port: 7000 },
        { host: 'h2', port: 7001 },
        { host: 'h3', port: 6379 },
      ],
      tls: false,
    },
  ],
  [
    'redis-cluster://[fd00::1]:7000,10.0.0.2:7001/',
    {
      kind: 'cluster',
      nodes: [
        { host: 'fd00::1', port: 7000 },
        { host: '10.0.0.2', port: 7001 },
      ],
      tls: false,
    },
  ],
  [
    'rediss-cluster://ann:secret@h1',
    { kind: 'cluster', nodes: [{ host: 'h1', port: 6379 }], tls: true, username: 'ann', password: 'secret' },
  ],
  [
    'redis-sentinel://h1:26380,h2/mymaster',
    {
      kind: 'sentinel',
      nodes: [
        { host: 'h1', port: 26380 },
        { host: 'h2', port: 26379 },
      ],
      tls: false,
      name: 'mymaster',
    },
  ],
  [
    'redis-sentinel://:secret@h1/mymaster?sentinelPassword=other%21',
    {
      kind: 'sentinel',
      nodes: [{ host: 'h1', port: 26379 }],
      tls: false,
      password: 'secret',
      name: 'mymaster',
      sentinelPassword: 'other!',
    },
  ],
  ['rediss-sentinel://h1/my', { kind: 'sentinel', nodes: [{ host: 'h1', port: 26379 }], tls: true, name: 'my' }],
]

for (const [url, address] of READ) {
  t.test(`${url}: parsed`, async t => t.strictSame(parseRedisAddress(url), address))
}

const REFUSED = [
  'cache:6379',
  'http://cache',
  'redis:cache',
  'redis://',
  'redis://:secret@',
  'redis://cache:port',
  'redis://cache:70000',
  'redis://cache/zero',
  'redis://h1,h2',
  'redis://cache?sentinelPassword=x',
  'redis://cache?family=6',
  'redis://ann:se/cret@cache',
  'redis://:%zz@cache',
  'redis-cluster://h1:7000,',
  'redis-cluster://h1/2',
  'redis-sentinel://h1:26379',
  'redis-sentinel://h1/',
  'redis-proxy://h1',
]

for (const url of REFUSED) {
  t.test(`${url}: refused at the start, in one line`, async t => {
    t.equal(parseRedisAddress(url), undefined)
    try {
      loadConfig({}, { ...BASE_SETTINGS, DATABASE_URL: 'postgres://db', REDIS_URL: url })
      t.fail('taken')
    } catch (error) {
      const { problems } = error as SettingsError
      t.equal(problems.length, 1)
      t.match(problems[0], /^REDIS_URL is not valid: /)
      t.notMatch(problems[0], 'secret')
    }
  })
}
