import { readFileSync } from 'node:fs'
import { createTransport } from 'nodemailer'
import t from 'tap'
import { MAILBOX_PATH, startMailbox } from '../../demo/mailbox.ts'
import { build } from '../support/build.ts'

const mailbox = await startMailbox()
t.teardown(mailbox.stop)
const transport = createTransport({ url: mailbox.url, pool: true })
t.teardown(() => transport.close())
const send = (subject: string, text: string, to = 'demo@example.com', html?: string) =>
  transport.sendMail({ from: 'no-reply@example.com', to, subject, text, html })
const { app } = await build(t, { settings: { SMTP_URL: mailbox.url }, before: mailbox.extend })
await app.listen()
const other = await build(t, { settings: { SMTP_URL: 'smtp://127.0.0.1:1' }, before: mailbox.extend })

t.test('GET /demo/mailbox: mails, newest first, with clickable links (200)', async t => {
  const said = t.capture(console, 'log')
  const empty = await app.inject('/demo/mailbox')
  t.match(empty, {
    statusCode: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': String,
    },
  })
  t.match(empty.body, 'No mail yet')
  for (const path of ['/register', '/reset-password']) {
    t.match(empty.body, `href="${path}"`, 'what to do')
    t.equal((await app.inject(path)).statusCode, 200)
  }
  t.equal((await app.inject('/demo/mailbox/count')).body, '0')

  await send('First', 'Follow this:\nhttp://localhost:3000/verify-email#token=abc\n\nYours, http://localhost:3000.')
  await send(
    'Second <b>',
    '<script>alert(1)</script> "http://localhost:3000/a?b=1&c=2" javascript:alert(1)',
    "o'neil@example.com"
  )
  const { body } = await app.inject('/demo/mailbox')
  t.notMatch(body, 'No mail yet')
  t.ok(body.indexOf('<h2 dir="auto">Second &lt;b&gt;</h2>') < body.indexOf('<h2 dir="auto">First</h2>'))
  t.strictSame(body.match(/<a href="http[^"]*"/g), [
    '<a href="http://localhost:3000/a?b=1&amp;c=2"',
    '<a href="http://localhost:3000/verify-email#token=abc"',
    '<a href="http://localhost:3000"',
  ])
  t.notMatch(body, /<script>alert|<b>/)
  t.match(body, 'To o&#39;neil@example.com')

  const lines = said().map(({ args }) => args.join(' '))
  t.match(lines, [
    /^Mail for demo@example\.com: First → http:\/\/localhost:\d+\/gatehouse\/demo\/mailbox$/,
    /^Mail for o'neil@example\.com: Second/,
  ])
  t.notMatch(lines.join(), 'token')
})

t.test('GET /demo/mailbox: the HTML of a mail, in a frame without scripts and without our origin', async t => {
  t.capture(console, 'log')
  const count = async () => Number((await app.inject('/demo/mailbox/count')).body)
  const before = await count()
  await send('With HTML', 'Plain', 'a@example.com', '<p title="x">Rich</p>"></iframe><script>alert(1)</script>')
  const { headers, body } = await app.inject('/demo/mailbox')
  const frame = body.match(/<iframe[^]*?><\/iframe>/)?.[0]
  t.match(frame, 'sandbox="allow-top-navigation-by-user-activation"')
  t.match(frame, '&lt;p title=&quot;x&quot;&gt;Rich&lt;/p&gt;')
  t.notMatch(body, '<script>alert')
  t.match(body, '<p class="text" dir="auto">Plain</p>')
  t.match(headers['content-security-policy'], /default-src 'none'[^]+script-src 'sha256-/)
  t.equal(await count(), before + 1)
})

t.test('GET /register, /reset-password: a link to the mailbox on the embedded stack only', async t => {
  for (const page of ['/register', '/reset-password']) {
    t.match((await app.inject(page)).body, 'href="/gatehouse/demo/mailbox">Open the demo mailbox</a>')
    t.notMatch((await other.app.inject(page)).body, 'mailbox')
  }
})

t.test('GET /demo/mailbox: the last fifty mails', async t => {
  t.capture(console, 'log')
  for (let count = 1; count <= 52; count++) await send(`Number ${count}.`, 'text')
  const { body } = await app.inject('/demo/mailbox')
  t.equal(body.match(/<article>/g)?.length, 50)
  t.match(body, 'Number 52.')
  t.notMatch(body, 'Number 2.')
})

t.test('GET /gatehouse/demo/mailbox: at a path that reverse proxies forward to the service', async t => {
  const forwarded = readFileSync('deploy/nginx/gatehouse/paths.conf', 'utf8').match(/(?<=location ~ )\S+/g) ?? []
  t.ok(forwarded.some(pattern => new RegExp(pattern).test(MAILBOX_PATH)))
  t.match((await app.inject(MAILBOX_PATH)).body, '<h1>Received mails</h1>')
  t.equal((await app.inject(`${MAILBOX_PATH}/count`)).body, (await app.inject('/demo/mailbox/count')).body)
})

t.test('GET /demo/mailbox: with SMTP_URL (404)', async t => {
  t.equal((await other.app.inject('/demo/mailbox')).statusCode, 404)
})
