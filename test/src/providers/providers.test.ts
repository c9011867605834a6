import t from 'tap'
import { PROVIDERS, type FetchJson, type ProviderSettings } from '../../../src/providers/providers.ts'

const settings = { userinfoUrl: 'userinfo', emailsUrl: 'emails' } as ProviderSettings

const readA = (claims: object) =>
  PROVIDERS.provider_a.readProfile(async () => ({ body: claims, next: undefined }), settings)
const readB = (user: object, ...pages: object[][]) => {
  const fetchJson: FetchJson = async url =>
    url === 'userinfo'
      ? { body: user, next: undefined }
      : { body: pages[Number(url.slice(6) || 0)], next: `emails${Number(url.slice(6) || 0) + 1}` }
  return PROVIDERS.provider_b.readProfile(fetchJson, settings)
}

t.test('provider A: claims of OpenID Connect', async t => {
  t.strictSame(await readA({ sub: '7', email: 'Ada.L@example.org', email_verified: true, name: 'Ada' }), {
    id: '7',
    email: 'Ada.L@example.org',
    username: 'Ada.L',
    name: 'Ada',
  })
  t.match(await readA({ sub: '7', email: 'a@example.org', email_verified: 'true' }), { email: 'a@example.org' })
})

t.test('an email counts when it is verified and unambiguous', async t => {
  for (const verified of [false, 'false', undefined, 1, null]) {
    t.equal((await readA({ sub: '7', email: 'a@example.org', email_verified: verified })).email, undefined)
  }
  for (const email of [
    undefined,
    null,
    7,
    '',
    'nobody',
    '@example.org',
    'a@',
    'a@b@c',
    'boo\u212a@example.org',
    'vic\u0007tim@example.org',
    'a @example.org',
    `${'x'.repeat(250)}@example.org`,
  ]) {
    t.equal((await readA({ sub: '7', email, email_verified: true })).email, undefined, String(email))
  }
})

t.test('an id is used unchanged or refused', async t => {
  for (const sub of [undefined, null, '', {}, '12\u00003', 'a b', '\u212a', 'x'.repeat(256)]) {
    await t.rejects(readA({ sub }), { message: 'the provider sent no valid id' })
  }
})

t.test('a name is cleaned and shortened', async t => {
  t.equal((await readA({ sub: '7', name: ` A\u0000da ${'x'.repeat(300)}` })).name?.length, 200)
  t.equal((await readA({ sub: '7', name: '\ud800' })).name, '\ufffd')
})

t.test('provider B: the primary verified email, on any page; a login is required', async t => {
  const other = { email: 'other@example.org', primary: false, verified: true }
  const unverified = { email: 'primary@example.org', primary: true, verified: false }
  const good = { email: 'primary@example.org', primary: true, verified: true }
  const user = { id: 42, login: 'ada', name: null }
  t.strictSame(await readB(user, [other], [good]), {
    id: '42',
    email: 'primary@example.org',
    username: 'ada',
    name: undefined,
  })
  t.equal((await readB({ ...user, email: 'public@example.org' }, [other, unverified])).email, undefined)
  await t.rejects(readB({ id: 42 }, [good]), { message: 'the provider sent no valid login' })
})
