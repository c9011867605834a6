import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { BRAND_A, BRAND_B } from '../../../demo/brands.ts'
import { mailboxPage, mailboxPolicy } from '../../../demo/mailbox-page.ts'
import { startMailbox } from '../../../demo/mailbox.ts'
import { extendWithTour } from '../../../demo/tour.ts'
import { Unavailable, TooManyLogins } from '../../../src/errors.ts'
import { LIMITS } from '../../../src/limits/registry.ts'
import { addApplication, allowApplication } from '../applications.ts'
import { createUser, hashOf } from '../browser.ts'
import { newPerson, openService } from '../chromium.ts'
import { eventually } from '../patience.ts'
import { addTotp } from '../second-factor.ts'
import { ASKED, serveInteraction } from './interaction.ts'

const PASSWORD = 'tr0mbone-Under-glass!'
const EMAILS = ['ada@example.org', 'grace@example.org']
const HERE = '203.0.113.7'
const OWN_ADDRESSES = [HERE, '127.0.0.1', '::1']
const DEVICES = [
  [
    '198.51.100.23',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  ['203.0.113.80', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'],
] as const

/** As in the demo. */
const BRANDS = { PROVIDER_A_NAME: BRAND_A.title, PROVIDER_B_NAME: BRAND_B.title }

/** The names that readers know. */
export const KNOWN_PROVIDERS = {
  PROVIDER_A_NAME: '',
  PROVIDER_B_NAME: '',
  PROVIDER_A_AUTHORIZE_URL: 'https://accounts.google.com/o/oauth2/v2/auth',
  PROVIDER_B_AUTHORIZE_URL: 'https://github.com/login/oauth/authorize',
  PROVIDER_DEMO_C_NAME: 'Example Inc.',
}

/** The service with an account that has been used for days, the demo mailbox and the demo providers. */
export async function openGallery (t: Test, settings: Record<string, string> = {}) {
  let interaction = {} as ReturnType<typeof serveInteraction>
  const mailbox = await startMailbox()
  t.teardown(mailbox.stop)
  const { app, owner, url } = await openService(t, { SMTP_URL: mailbox.url, ...BRANDS, ...settings }, {
    // Every browser finds it.
    providerHost: '127.0.0.1',
    before (app) {
      mailbox.extend(app)
      extendWithTour(app, 'http://127.0.0.1:4200')
      interaction = serveInteraction(app)
      app.register(async app => {
        app.get('/too-often', async () => { throw new TooManyLogins(601) })
        app.get('/empty-mailbox', async (_request, reply) => reply
          .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': mailboxPolicy('') })
          .send(mailboxPage([], 0, 50)))
        app.get('/unavailable', async () => { throw new Unavailable() })
      })
    },
  })
  const user = await createUser(owner, {
    username: 'ada',
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    password_hash: await hashOf(PASSWORD),
  })
  const elsewhere = (address: string, agent: string, password: string) => app.inject({
    method: 'POST',
    url: '/login',
    payload: { username: 'ada', password },
    remoteAddress: '127.0.0.1',
    headers: { 'x-forwarded-for': address, 'user-agent': agent },
  })
  for (const [address, agent] of DEVICES) await elsewhere(address, agent, PASSWORD)
  await elsewhere('192.0.2.44', DEVICES[1][1], 'a wrong guess')
  await owner.query(`
    UPDATE refresh_tokens SET signed_in_at = signed_in_at - age, issued_at = issued_at - age / 9
    FROM (SELECT id AS of, row_number() OVER () * interval '2 days 3 hours' AS age FROM refresh_tokens) ages
    WHERE of = refresh_tokens.id`)
  await owner.query("UPDATE auth_events SET created_at = created_at - (10 - id) * interval '11 hours'")

  /** As it was before the last page. */
  async function tidy () {
    const tables = ['passkeys', 'totp', 'recovery_codes', 'applications', 'mail_codes', 'mail_code_guesses']
    for (const table of tables) await owner.query(`DELETE FROM ${table}`)
    await owner.query('UPDATE users SET factors_version = factors_version + 1')
    await owner.query('DELETE FROM users WHERE id <> $1', [user.id])
    await owner.query('DELETE FROM refresh_tokens WHERE host(ip) = ANY ($1)', [OWN_ADDRESSES])
    await owner.query('DELETE FROM auth_events WHERE host(ip) = ANY ($1)', [OWN_ADDRESSES])
    for (const email of EMAILS) await app.counters.clear(LIMITS.signInMails.key(email))
    interaction.current = ASKED
  }

  const mails = async () => (await app.inject('/demo/mailbox')).body

  const gallery = {
    url,
    password: PASSWORD,
    interaction,
    tidy,
    async addTotp () {
      await owner.query('DELETE FROM recovery_codes')
      return addTotp(owner, user.id)
    },
    addApplication: async () => allowApplication(owner, user.id, await addApplication(owner, 'Photo Album')),
    addPasskey: () => owner.query(`
      WITH counted AS (UPDATE users SET factors_version = factors_version + 1 WHERE id = $1),
      codes AS (INSERT INTO recovery_codes (user_id, digest)
        SELECT $1, sha256(n::text::bytea) FROM generate_series(1, 10) n)
      INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name, created_at, last_used_at)
      VALUES ('x', $1, '', 'multiDevice', true, 'Phone', now() - interval '40 days', now() - interval '2 days')`,
    [user.id]),
    untilMailed: () => eventually(mails, page => page.includes('grace@example.org')),

    /** The code and the link of the mail that follows when `ask` has asked for it. */
    async signInMail (ask: () => Promise<unknown>) {
      const read = async () => {
        const page = await mails()
        return { code: page.match(/^\d{6}$/m)?.[0] ?? '', token: page.match(/\/login\/mail#token=([\w-]+)/)?.[1] }
      }
      const { token: earlier } = await read()
      await ask()
      const { code, token } = await eventually(read, ({ token }) => token !== earlier)
      return { code, link: `${url}/login/mail#token=${token}` }
    },
    askElsewhere: (email: string) => app.inject({ method: 'POST', url: '/login/mail', payload: { email } }),

    /** A new browser, closed after `look`. */
    async visit (browser: Browser, options: BrowserContextOptions, look: (page: Page) => Promise<unknown>) {
      const person = await newPerson(t, browser, { extraHTTPHeaders: { 'x-forwarded-for': HERE }, ...options })
      // Refused requests are part of some pages.
      person.expect(/^\d\d\d \//)
      await look(await person.newPage())
      await person.context.close()
      await tidy()
    },
  }
  return gallery
}

export type Gallery = Awaited<ReturnType<typeof openGallery>>
