import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createUser } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { addAuthenticator } from '../support/pages/virtual-authenticator.ts'
import { eventually } from '../support/patience.ts'

// The ceremonies of a real browser with its virtual authenticator, as a page of the service runs them.

/** Runs in the page: the two requests of a ceremony, with the native conversion from and to JSON. */
interface Ceremony {
  optionsUrl: string
  url: string
  kind: 'create' | 'get'
  csrf: boolean
  /** Options that the page changes on its own account. */
  changed?: object
}
type Outcome = { status: number, body: Record<string, any> }

async function perform (page: Page, ceremony: Ceremony): Promise<Outcome> {
  return page.evaluate(async ({ optionsUrl, url, kind, csrf, changed }) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (csrf) headers['x-csrf-token'] = (await (await fetch('/api/csrf-token')).json()).csrfToken
    const { 'content-type': _, ...bodyless } = headers
    const options = { ...await (await fetch(optionsUrl, { method: 'POST', headers: bodyless })).json(), ...changed }
    const { PublicKeyCredential: format } = window as any
    const credential: any = kind === 'create'
      ? await navigator.credentials.create({ publicKey: format.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: format.parseRequestOptionsFromJSON(options) })
    const body = JSON.stringify({ response: credential.toJSON(), ...(kind === 'create' && { name: 'Laptop' }) })
    const answer = await fetch(url, { method: 'POST', headers, body })
    return { status: answer.status, body: await answer.json() }
  }, ceremony)
}

const addPasskey = (page: Page, changed?: object) => perform(page, {
  changed,
  optionsUrl: '/api/auth/factors/passkeys/options',
  url: '/api/auth/factors/passkeys',
  kind: 'create',
  csrf: true,
})
const signIn = (page: Page, changed?: object) => perform(page, {
  changed,
  optionsUrl: '/login/passkey/options',
  url: '/login/passkey',
  kind: 'get',
  csrf: false,
})

t.test('passkeys in Chromium', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const browser = await startChromium()

  /** Closed with the test: the authenticator waits while another page is in front. */
  async function arrive (t: Test) {
    const user = await createUser(service.owner)
    const person = await newPerson(t, browser)
    await person.signIn(service, user.username)
    const page = await person.newPage()
    const authenticator = await addAuthenticator(page)
    await page.goto(`${service.url}/reset-password`)
    return { user, person, page, authenticator }
  }

  await t.test('added, and used to sign in without a username', async t => {
    const { user, person, page, authenticator } = await arrive(t)
    const added = await addPasskey(page)
    t.match(added, { status: 201, body: { passkey: { name: 'Laptop' } } })
    const credentials = await authenticator.credentials()
    t.match(credentials, [{ isResidentCredential: true, rpId: new URL(service.url).hostname }])
    t.notOk(Buffer.from(credentials[0]?.userHandle ?? '', 'base64').includes(user.username))

    await person.context.clearCookies()
    t.match(await signIn(page), { status: 200, body: { user: { username: user.username } } })
    t.equal(await page.evaluate(async () => (await fetch('/api/auth/me')).status), 200)
  })

  await t.test('without user verification, where a page does not ask for it (401)', async t => {
    const { person, page } = await arrive(t)
    person.expect('401 /login/passkey')
    t.equal((await addPasskey(page)).status, 201)
    const changed = { userVerification: 'discouraged', timeout: 10_000 }
    t.match(await signIn(page, changed), { status: 401, body: { error: 'Invalid passkey' } })
  })

  await t.test('a counter that went back (401)', async t => {
    const { person, page, authenticator } = await arrive(t)
    person.expect('401 /login/passkey')
    await addPasskey(page)
    for (let use = 0; use < 3; use++) t.equal((await signIn(page)).status, 200)
    await authenticator.turnBackCounter(1)
    t.match(await signIn(page), { status: 401, body: { error: 'Invalid passkey' } })
  })

  await t.test('a removed passkey: the browser is told, and forgets it', async t => {
    const { page, authenticator } = await arrive(t)
    const { body: { passkey } } = await addPasskey(page)
    await page.evaluate(async id => {
      const { csrfToken } = await (await fetch('/api/csrf-token')).json()
      const headers = { 'x-csrf-token': csrfToken }
      await fetch(`/api/auth/factors/passkeys/${id}`, { method: 'DELETE', headers })
      const { passkeys, passkeyUserId } = await (await fetch('/api/auth/factors')).json()
      await (window as any).PublicKeyCredential.signalAllAcceptedCredentials({
        rpId: location.hostname,
        userId: passkeyUserId,
        allAcceptedCredentialIds: passkeys.map((each: { credentialId: string }) => each.credentialId),
      })
    }, passkey.id)
    await eventually(authenticator.credentials, found => found.length === 0)
  })

  await t.test('an attestation with certificates, which a page asks for (400)', async t => {
    const { person, page } = await arrive(t)
    person.expect('400 /api/auth/factors/passkeys')
    const changed = { attestation: 'direct' }
    t.match(await addPasskey(page, changed), { status: 400, body: { error: 'Invalid passkey' } })
  })

  await t.test('a second passkey for the same account on the same device: the browser refuses', async t => {
    const { page } = await arrive(t)
    await addPasskey(page)
    t.equal((await signIn(page)).status, 200)
    await t.rejects(addPasskey(page), /InvalidStateError|registered/)
  })
})
