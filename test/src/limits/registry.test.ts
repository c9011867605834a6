import t from 'tap'
import { clientGroup } from '../../../src/edge/client-address.ts'
import { foldLogin, whoOfKey } from '../../../src/limits/keys.ts'
import { limitOfKey, LIMITS } from '../../../src/limits/registry.ts'
import { createDatabase } from '../../support/build.ts'

t.test('foldLogin: equal for all that PostgreSQL takes for the same login', async t => {
  const { owner } = await createDatabase(t)
  const { rows } = await owner.query<{ upper: string, lower: string }>(`
    SELECT chr(code) AS upper, lower(chr(code)) AS lower FROM generate_series(1, 125251) AS code
    WHERE code NOT BETWEEN 55296 AND 57343 AND lower(chr(code)) <> chr(code)`)
  t.ok(rows.length >= 26, `${rows.length} letters`)
  t.strictSame(
    rows.filter(({ upper, lower }) => foldLogin(upper) !== foldLogin(lower)),
    []
  )
})

t.test('foldLogin: spellings', async t => {
  for (const same of [
    ['Ada', 'ADA', 'ada'],
    ['İvan', 'ivan'],
    ['ﬁona', 'FIONA'],
    ['ada@Example.com', 'ADA@EXAMPLE.COM'],
  ]) {
    t.equal(new Set(same.map(foldLogin)).size, 1, same.join(' '))
  }
  t.equal(new Set(['ada', 'ada1', 'ada@example.com', 'a.da', 'bda'].map(foldLogin)).size, 5)
})

t.test('limitOfKey, whoOfKey: each key belongs to the limit that made it', async t => {
  const { login, account, knownBrowser } = LIMITS
  const keys: Array<[limit: object, key: string, who: string | RegExp]> = [
    [account, account.key('Ada'), /^[\w-]{10}$/],
    [account, account.key('Ada', 'browser'), /^[\w-]{10}$/],
    [knownBrowser, knownBrowser.key('42', 'browser'), '42'],
    [login, login.key('2001:db8::1'), clientGroup('2001:db8::1')],
  ]
  for (const limit of Object.values(LIMITS)) {
    if (limit.subject === 'address') keys.push([limit, limit.key('192.0.2.1'), '192.0.2.1'])
    if (limit.subject === 'user' || limit.subject === 'session') keys.push([limit, limit.key('42'), '42'])
  }
  for (const [limit, key, who] of keys) {
    t.equal(limitOfKey(key), limit, key)
    t.match(whoOfKey(key, limit as typeof login), who, key)
  }
  t.equal(new Set(Object.values(LIMITS).map(({ prefix }) => prefix)).size, Object.keys(LIMITS).length)
  for (const key of ['login-step:1', 'mail:reset:ada', 'breach:1', 'ping']) t.equal(limitOfKey(key), undefined, key)
})

t.test('LIMITS: the windows that the specification sets', async t => {
  const seconds = (name: keyof typeof LIMITS) => LIMITS[name].windowSeconds
  t.strictSame([seconds('login'), seconds('general'), seconds('sensitive'), seconds('account')],
    [900, 900, 3_600, 3_600])
})
