import t from 'tap'
import { freePort } from '../../../../demo/free-port.ts'
import { startProviderC } from '../../../../demo/provider-c.ts'
import { createBrowser, NO_LIMITS } from '../../../support/browser.ts'
import { build } from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'
import { goThrough, HOME, registration } from '../../../support/provider-visits.ts'

const ADA = { id: 4711, name: 'Ada Lovelace', email: 'ada@example.org' }

const gitlab = await startProviderC(registration('gitlab'), 'gitlab')
t.teardown(() => gitlab.stop())
const GITLAB = { ...NO_LIMITS, ...gitlab.settings, PUBLIC_URL: HOME }

t.test('a new key of the provider is accepted at once, and the former one is not needed', async t => {
  const port = await freePort()
  const first = await startProviderC(registration('moving', port), 'moving')
  const { app } = await build(t, { settings: { ...NO_LIMITS, ...first.settings, PUBLIC_URL: HOME } })
  t.equal(await goThrough(createBrowser(app), 'moving', { as: ADA }), '/dashboard')
  await first.stop()
  const second = await startProviderC(registration('moving', port), 'moving')
  t.teardown(() => second.stop())
  t.equal(second.url, first.url)
  // Connections to the former one are closed, which both sides must have noticed.
  await eventually(() => fetch(second.url).then(() => true, () => false), isUp => isUp)
  t.equal(await goThrough(createBrowser(app), 'moving', { as: ADA }), '/dashboard')
})

t.test('discovery: down at the start (503), then up (302); others work meanwhile', async t => {
  const port = await freePort()
  const settings = {
    ...GITLAB,
    PROVIDERS: 'late,gitlab',
    PROVIDER_LATE_ISSUER: `http://127.0.0.1:${port}`,
    PROVIDER_LATE_CLIENT_ID: 'gatehouse',
    PROVIDER_LATE_CLIENT_SECRET: 'pr0vider-Secret',
  }
  const { app, log } = await build(t, { settings })
  await app.listen({ port: 0 })
  const answer = await createBrowser(app).get('/api/auth/late')
  t.equal(answer.statusCode, 503)
  t.equal(String(answer.headers['retry-after']), '5')
  t.equal(answer.json().error, 'Service Unavailable')
  const unknown = await createBrowser(app).get('/api/auth/late/callback?code=x&state=y')
  t.equal(unknown.statusCode, 302, 'a state that this browser never got asks nobody')
  t.match(log.text, 'discovery of a provider failed')
  t.equal(await goThrough(createBrowser(app), 'gitlab', { as: ADA }), '/dashboard')

  const late = await startProviderC(registration('late', port), 'late')
  t.equal(await goThrough(createBrowser(app), 'late', { as: ADA }), '/dashboard')
  await late.stop()
  t.equal((await createBrowser(app).get('/api/auth/late')).statusCode, 302, 'what is known is used')
})

t.test('discovery: a document of another issuer is not used (503)', async t => {
  const { app, log } = await build(t, {
    settings: { ...GITLAB, PROVIDER_GITLAB_ISSUER: gitlab.url.replace('127.0.0.1', 'localhost') },
  })
  t.equal((await createBrowser(app).get('/api/auth/gitlab')).statusCode, 503)
  t.match(log.text, /issuer/)
})
