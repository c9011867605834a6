import fc from 'fast-check'
import t from 'tap'
import { createMailWriter, type Mail } from '../../../src/mail/templates.ts'

const writeMail = await createMailWriter({ brand: 'Gatehouse', url: 'https://auth.example.com' })
const link = 'https://auth.example.com/verify-email#token=a-b_c'
const at = '2026-03-04T05:06:07.000Z'

/** Each mail, with the same text in every variable. */
function write (word: string): Record<string, Mail> {
  const signIn = { username: word, device: word, ip: word, at }
  return {
    verify: writeMail('verify', { username: word, link }),
    reset: writeMail('reset', { username: word, link }),
    'no-password': writeMail('no-password', { username: word }),
    'password-changed': writeMail('password-changed', { username: word }),
    'breached-password': writeMail('breached-password', { username: word }),
    'already-registered': writeMail('already-registered', { username: word }),
    'change-email': writeMail('change-email', { username: word, link }),
    'address-taken': writeMail('address-taken', { username: word }),
    'email-changed': writeMail('email-changed', { username: word, email: word, link }),
    'email-restored': writeMail('email-restored', { username: word }),
    'factors-changed': writeMail('factors-changed', { username: word, change: 'totp_added' }),
    'new-sign-in': writeMail('new-sign-in', { ...signIn, hasPassword: true }),
    'new-sign-in without a password': writeMail('new-sign-in', { ...signIn, hasPassword: false }),
  }
}

for (const [kind, { subject, text, html }] of Object.entries(write('anna'))) {
  t.test(`${kind}: recipient, reason and advice, in text and HTML`, async t => {
    t.match(subject, 'Gatehouse')
    t.ok(subject.length < 60)
    t.match(text, /^Hello,\n\n/)
    t.ok(text.length < 1_000, 'short')
    for (const form of [text, html]) {
      t.match(form, /Gatehouse sent this email because your address was given at https:\/\/auth\.example\.com/)
      t.match(form, /If that was not you,/)
    }
    t.match(text, '"anna"')
    t.match(html, '&quot;anna&quot;')
    t.notMatch(html, /<(img|script|link|iframe|form)\b|url\(|@import/i)
    t.match(html, /color-scheme[^]+prefers-color-scheme: dark/)
  })
}

t.test('verify, reset: the link and its lifetime, in text and HTML', async t => {
  const { verify, reset } = write('anna')
  for (const [mail, time] of [
    [verify, '24 hours'],
    [reset, 'one hour'],
  ] as const) {
    t.match(mail?.text, `\n${link}\n`)
    t.match(mail?.html, `<a href="${link}"`)
    for (const form of [mail?.text, mail?.html]) t.match(form, time)
  }
})

t.test('new-sign-in: device, address and time', async t => {
  const { text, html } = writeMail('new-sign-in', {
    username: 'anna',
    hasPassword: true,
    device: 'Firefox on Linux',
    ip: '2001:db8::1',
    at,
  })
  for (const form of [text, html]) t.match(form, /Firefox on Linux[^]+2001:db8::1[^]+4 March 2026 at 05:06 UTC/)
})

t.test('a hostile name: no HTML, no new line, bounded length', async t => {
  const skeleton = (html = '') => html.match(/<[^>]*>/g)
  const lines = (text = '') => text.split('\n').length
  const usual = write('anna')
  const word = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><a href="https://evil.example">',
      'a\r\n\r\nYour account is locked:\nhttps://evil.example',
      '</p></div>',
      '\u202egnp.exe',
      "' onload='x",
      'x'.repeat(10_000)
    )
  )
  fc.assert(
    fc.property(word, word => {
      for (const [kind, mail] of Object.entries(write(word))) {
        if (JSON.stringify(skeleton(mail.html)) !== JSON.stringify(skeleton(usual[kind]?.html))) return false
        if (lines(mail.text) !== lines(usual[kind]?.text) || mail.subject !== usual[kind]?.subject) return false
        if (mail.text.length > 1_500 || /[^\P{C}\n]/u.test(mail.text)) return false
      }
      return true
    }),
    { numRuns: 500 }
  )
})
