import t from 'tap'
import { createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { startSmtp } from '../support/smtp.ts'

const OURS = 'https://auth.example.com'
const EVIL = 'evil.example'

/** Headers that some frameworks read the host from. */
const FORGED: Array<Record<string, string>> = [
  { host: EVIL },
  { host: `auth.example.com:80@${EVIL}` },
  { host: `${EVIL}#auth.example.com` },
  { 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'http', 'x-forwarded-port': '8080', 'x-forwarded-server': EVIL },
  { forwarded: `for=127.0.0.1;host=${EVIL};proto=http` },
  {
    'x-host': EVIL,
    'x-original-host': EVIL,
    'x-http-host-override': EVIL,
    'x-original-url': `http://${EVIL}/`,
    'x-rewrite-url': `http://${EVIL}/`,
  },
  { referer: `http://${EVIL}/`, 'x-forwarded-uri': `//${EVIL}/`, 'x-forwarded-prefix': `//${EVIL}` },
]

for (const [what, settings] of [
  ['no trusted proxy', {}],
  ['sent by a trusted proxy', { TRUST_PROXY: '127.0.0.1' }],
] as const) {
  t.test(`a forged host appears in no mail, redirect or response: ${what}`, async t => {
    const smtp = await startSmtp(t)
    const { app, owner } = await build(t, {
      settings: {
        ...NO_LIMITS,
        ...settings,
        SMTP_URL: smtp.url,
        PUBLIC_URL: OURS,
        PROVIDER_A_CLIENT_ID: 'gatehouse',
        PROVIDER_A_CLIENT_SECRET: 'secret',
      },
    })
    for (const [index, headers] of FORGED.entries()) {
      const known = await createUser(owner)
      const waiting = await createUser(owner, { email_verified_at: null })
      const MAILED: Array<[url: string, body: Record<string, string>]> = [
        ['/register', { username: `newcomer-${index}`, email: `newcomer-${index}@example.com`, password: PASSWORD }],
        ['/register', { username: `twin-${index}`, email: known.email, password: PASSWORD }],
        ['/verify-email/resend', { email: waiting.email }],
        ['/reset-password', { email: known.email }],
      ]
      for (const [url, payload] of MAILED) {
        const answer = await app.inject({ method: 'POST', url, payload, headers })
        t.equal(answer.statusCode, 202, `${url} with ${Object.keys(headers)}`)
        const { text = '', html = '', headers: lines } = await smtp.next()
        t.match(text, `${OURS}/`, 'the link leads to the service')
        t.notMatch(`${text}${html}${JSON.stringify([...lines])}${JSON.stringify(answer.headers)}${answer.body}`, EVIL)
      }
      const start = await app.inject({ url: '/api/auth/provider-a', headers })
      t.equal(
        new URL(String(start.headers.location)).searchParams.get('redirect_uri'),
        `${OURS}/api/auth/provider-a/callback`
      )
      for (const url of [
        '/login',
        '/reset-password',
        '/verify-email',
        '/.well-known/change-password',
        '/api/auth/provider-a/callback?code=x&state=y',
        '/nowhere',
        '/docs',
      ]) {
        const answer = await app.inject({ url, headers })
        t.notMatch(`${JSON.stringify(answer.headers)}${answer.body}`, EVIL, url)
      }
    }
  })
}
