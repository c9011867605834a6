import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

const SETTINGS = {
  PROVIDER_A_CLIENT_ID: 'x',
  PROVIDER_A_CLIENT_SECRET: 'y',
  PROVIDER_B_CLIENT_ID: 'x',
  PROVIDER_B_CLIENT_SECRET: 'y',
  PROVIDERS: 'acme,zeta',
  PROVIDER_ACME_ISSUER: 'https://login.acme.example',
  PROVIDER_ACME_CLIENT_ID: 'x',
  PROVIDER_ACME_CLIENT_SECRET: 'y',
  PROVIDER_ZETA_ISSUER: 'https://login.zeta.example',
  PROVIDER_ZETA_CLIENT_ID: 'x',
  PROVIDER_ZETA_CLIENT_SECRET: 'y',
}

t.test('pages to sign in: the providers with most accounts first, counted in the background', async t => {
  const { app, owner } = await build(t, { settings: SETTINGS })
  await app.ready()
  const orderOf = async (path: string, cookie = '') => {
    const { body } = await app.inject({ url: path, headers: { cookie } })
    return [...body.matchAll(/href="\/api\/auth\/([\w-]+)"/g)].map(([, provider]) => provider)
  }
  const addToZeta = async (subject: string) => owner.query(
    "INSERT INTO identities (provider, subject, issuer, user_id) VALUES ('zeta', $1, 'https://login.zeta.example', $2)",
    [subject, (await createUser(owner)).id])
  const configured = ['provider-a', 'provider-b', 'acme', 'zeta']
  t.strictSame(await orderOf('/login'), configured)

  await t.test('nobody uses one: the order of the settings', async t => {
    await app.orderProviders()
    t.strictSame(await orderOf('/login'), configured)
  })

  await t.test('the page is not rendered from the database: it changes when the accounts are counted', async t => {
    await createUser(owner, { provider_a_id: '7' })
    await addToZeta('1')
    await addToZeta('2')
    t.strictSame(await orderOf('/login'), configured)
    await app.orderProviders()
    for (const path of ['/login', '/register']) {
      t.strictSame(await orderOf(path), ['zeta', 'provider-a', 'provider-b', 'acme'], path)
    }
  })

  await t.test('the one that was last used in the browser stays the first', async t => {
    t.strictSame(await orderOf('/login', 'gatehouse_provider=acme'), ['acme', 'zeta', 'provider-a', 'provider-b'])
  })

  await t.test('a service that listens counts by itself', async t => {
    await owner.query('DELETE FROM identities')
    await app.listen({ port: 0 })
    await eventually(() => orderOf('/login'), order => order[0] === 'provider-a')
    t.strictSame(await orderOf('/login'), configured)
  })
})
