import { exportJWK, importPKCS8 } from 'jose'
import t from 'tap'
import type pg from 'pg'
import { createEncryption } from '../../../src/secrets/encryption.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { build, secrets } from '../../support/build.ts'
import { codeOf } from '../../support/second-factor.ts'
import { startSmtp } from '../../support/smtp.ts'

const NEW_PASSWORD = 'gl4ss-Harmonica-7!'
secrets.add(NEW_PASSWORD)

/** Every row of every table, except PostgreSQL's own, as text. */
async function dump (owner: pg.Pool): Promise<string> {
  const { rows: tables } = await owner.query(
    "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
  )
  const contents = await Promise.all(
    tables.map(({ schemaname, tablename }) =>
      owner.query(`SELECT each::text AS row FROM "${schemaname}"."${tablename}" each`)
    )
  )
  return contents.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
}

/** The private part of the key that signs tokens for other services, in each way that it can be written. */
async function privateKey (owner: pg.Pool, secret: string): Promise<string[]> {
  const { rows: [{ kid, encrypted }] } = await owner.query('SELECT kid, private_key AS encrypted FROM signing_keys')
  const { text = '' } = await createEncryption('signing keys', { JWT_SECRET: secret }).decrypt(encrypted, kid) ?? {}
  const { d = '' } = await exportJWK(await importPKCS8(text, 'EdDSA', { extractable: true }))
  const [, body = ''] = text.split('\n')
  return [d, Buffer.from(d, 'base64url').toString('hex'), Buffer.from(d, 'base64url').toString('base64'), body]
}

t.test('no token, password or link, and no private key in the database or the log, after all requests', async t => {
  const smtp = await startSmtp(t)
  const { app, owner, log } = await build(t, {
    settings: { ...NO_LIMITS, SMTP_URL: smtp.url, LOG_LEVEL: 'trace', TOKEN_AUDIENCES: 'orders' },
  })
  const seen: string[] = []
  const browser = createBrowser(app)
  const keep = () =>
    seen.push(...[...browser.cookies].filter(([name]) => name !== 'device').map(([, value]) => value))

  await browser.post('/register', { username: 'ada', email: 'ada@example.com', password: PASSWORD })
  seen.push((await smtp.next()).token)
  await browser.post('/verify-email', { token: seen.at(-1) })
  await browser.signIn('ada')
  keep()
  await browser.refresh()
  keep()
  seen.push((await browser.post('/api/auth/token', { audience: 'orders' })).json().token)
  seen.push(...await privateKey(owner, app.config.JWT_SECRET))
  const totp = (await browser.guarded('POST', '/api/auth/factors/totp')).json().secret
  const enrolled = await browser.guarded('POST', '/api/auth/factors/totp/confirm', { code: codeOf(totp) })
  const [spent, ...unspent] = enrolled.json().recoveryCodes
  seen.push(totp, spent, ...unspent, ...[spent, ...unspent].map(code => code.replaceAll('-', '')))
  await smtp.next()
  await createBrowser(app).signIn('ada')
  const other = createBrowser(app)
  await other.signIn('ada')
  seen.push(other.cookies.get('login_step') as string)
  await other.post('/login/second-factor', { code: spent, remember: true })
  seen.push(other.cookies.get('remembered_browser') as string)
  await app.queueAlarms()
  await smtp.next()
  await smtp.next()
  await browser.guarded('POST', '/api/auth/email', { email: 'ada@example.org' })
  seen.push((await smtp.next()).token)
  await browser.post('/verify-email/change', { token: seen.at(-1) })
  seen.push((await smtp.next()).token)
  await browser.guarded('POST', '/api/auth/password', { current: PASSWORD, password: NEW_PASSWORD })
  keep()
  await smtp.next()
  await browser.post('/reset-password', { email: 'ada@example.org' })
  seen.push((await smtp.next()).token)
  seen.push(await app.oneTimeTokens.issue((await createUser(owner)).id, 'reset'))
  await browser.post('/reset-password/confirm', { token: 'mistyped', password: NEW_PASSWORD })
  await browser.signIn('ada', 'wr0ng-Guess-in-the-dark!')
  await createBrowser(app).send('GET', `/api/auth/provider-a/callback?code=${seen[0]}&state=${seen[1]}`)

  const everywhere = await dump(owner)
  t.match(everywhere, /""link"": ""ey/, 'jobs hold links, encrypted')
  t.match(everywhere, /""link"": ""ey/, 'jobs hold links, encrypted')
  const words = [...seen, PASSWORD, NEW_PASSWORD, 'wr0ng-Guess-in-the-dark!'].filter(Boolean)
  t.ok(words.length > 15)
  for (const word of words) {
    t.notOk(
      everywhere.includes(word) || everywhere.includes(Buffer.from(word).toString('hex')),
      'not in the database, as text or as bytes'
    )
    t.notOk(log.text.includes(word), 'not in the log')
  }
})
