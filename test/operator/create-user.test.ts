import bcrypt from 'bcrypt'
import { createHash, scryptSync } from 'node:crypto'
import t from 'tap'
import { createBrowser, NO_LIMITS } from '../support/browser.ts'
import { secrets } from '../support/build.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { startSmtp } from '../support/smtp.ts'

const PASSWORD = 'gl4ss-Harmonica-7!'

const smtp = await startSmtp(t)
const { api, app, owner } = await buildOperator(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })

let count = 0
function newcomer () {
  const username = `newcomer-${++count}`
  return { username, email: `${username}@example.com` }
}
const statusOf = async (username: string) => (await createBrowser(app).signIn(username, PASSWORD)).statusCode
const isStored = async (username: string) =>
  (await owner.query('SELECT FROM users WHERE username = $1', [username])).rowCount === 1

secrets.add(PASSWORD)

t.test('POST /users with a password: signs in, once the address is confirmed or vouched for (201)', async t => {
  const vouched = newcomer()
  const created = await api('POST', '/users', { ...vouched, password: PASSWORD, emailVerified: true })
  t.match(created, { statusCode: 201 })
  t.match(created.json().user, { ...vouched, emailVerifiedAt: String })
  t.notMatch(created.body, /\$2|assword/)
  t.equal(await statusOf(vouched.username), 200)

  const waiting = newcomer()
  t.equal((await api('POST', '/users', { ...waiting, password: PASSWORD })).statusCode, 201)
  t.equal(await statusOf(waiting.username), 401)
  const mail = await eventually(() => smtp.mails.find(({ reader }) => reader === waiting.email), Boolean)
  t.equal((await createBrowser(app).post('/verify-email', { token: mail?.token })).statusCode, 204)
  t.equal(await statusOf(waiting.username), 200)
  const { rows } = await owner.query(
    "SELECT actor FROM auth_events e JOIN users u ON u.id = e.user_id WHERE username = $1 AND what = 'registered'",
    [waiting.username])
  t.strictSame(rows, [{ actor: 'key test' }])
})

t.test('POST /users with a hash of another system: its password signs in (201)', async t => {
  const salt = Buffer.from('salt of a former system')
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const scrypt = `$scrypt$ln=12,r=8,p=1$${text(salt)}$${text(scryptSync(PASSWORD, salt, 32, { N: 4_096, r: 8, p: 1 }))}`
  const own = await bcrypt.hash(PASSWORD, 4)
  for (const passwordHash of [own, own.replace('$2b$', '$2y$'), scrypt]) {
    const user = newcomer()
    const created = await api('POST', '/users', { ...user, passwordHash, emailVerified: true })
    t.equal(created.statusCode, 201)
    t.equal(await statusOf(user.username), 200, passwordHash.slice(0, 8))
    t.equal((await createBrowser(app).signIn(user.username, 'wrong-Guess-77-again')).statusCode, 401)
  }
  const { rows } = await owner.query('SELECT scheme FROM imported_hashes')
  t.strictSame(rows, [{ scheme: 'scrypt' }], 'for the equal time of a wrong password')
})

t.test('POST /users: weak passwords (422), both, no hash or too slow a one (400): nothing is stored', async t => {
  const user = newcomer()
  const passwordHash = await bcrypt.hash(PASSWORD, 4)
  for (const [body, status, message] of [
    [{ password: 'password' }, 422, /meets every rule/],
    [{ password: `${user.username}-A1!` }, 422, /meets every rule/],
    [{ password: PASSWORD, passwordHash }, 400, /not both/],
    [{ passwordHash: PASSWORD }, 400, /passwordHash: not a hash of a known form/],
    [{ passwordHash: '!' }, 400, /passwordHash: not a hash/],
    [{ passwordHash: passwordHash.replace('$04$', '$31$') }, 400, /passwordHash: a cost of bcrypt of more than 15/],
    [{ passwordHash: `$md5$i=1$c2FsdA$${createHash('md5').update(PASSWORD).digest('base64')}` }, 400, /known scheme/],
    [{ emailVerified: true }, 400, /an invitation confirms the address/],
    [{ password: '' }, 400, /password/],
    [{ passwordHash: 'x'.repeat(1_001) }, 400, /passwordHash/],
  ] as const) {
    const answer = await api('POST', '/users', { ...user, ...body })
    t.equal(answer.statusCode, status, JSON.stringify(body).slice(0, 80))
    t.match(answer.json().message, message)
    t.notMatch(answer.body, passwordHash)
  }
  t.match((await api('POST', '/users', { ...user, password: 'password' })).json(), { valid: false, errors: [String] })
  t.notOk(await isStored(user.username))
})

t.test('POST /users with a password and an Idempotency-Key: once, and no digest of the password is kept', async t => {
  const user = newcomer()
  const headers = { 'idempotency-key': 'with-password' }
  const send = (password: string) => api('POST', '/users', { ...user, password }, headers)
  const [first, again] = [await send(PASSWORD), await send(PASSWORD)]
  t.equal(first.statusCode, 201)
  t.equal(again.body, first.body)
  t.equal((await send('an0ther-Harmonica-8!')).statusCode, 422)
  const { rows: [{ request }] } = await owner.query("SELECT request FROM idempotency_keys WHERE key = 'with-password'")
  const plain = JSON.stringify(['POST', '/operator/api/v1/users', { ...user, password: PASSWORD }])
  t.not(request.toString('hex'), createHash('sha256').update(plain).digest('hex'))
})
