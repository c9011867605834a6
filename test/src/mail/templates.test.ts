import fc from 'fast-check'
import { LinkifyIt } from 'linkify-it'
import t from 'tap'
import { createMailWriter, type Mail } from '../../../src/mail/templates.ts'
import { SAMPLE_MAILS } from '../../../src/mail/values.ts'
import { escapeHtml } from '../../../src/site/html.ts'
import { findPageFiles } from '../../../src/site/files.ts'
import { contrast } from '../../../src/settings/brand-color.ts'
import { directionOf, LANGUAGE_NAMES, type Language } from '../../../src/site/language.ts'

const SENDER = { brand: 'Gatehouse', color: '#2f5bea', url: 'https://auth.example.com' }
const { files } = await findPageFiles()
const writeMail = await createMailWriter(SENDER, files)
const link = 'https://auth.example.com/verify-email#token=a-b_c'
const at = '2026-03-04T05:06:07.000Z'

/** Each mail, with the same text in every variable. */
function write (word: string, language: Language = 'en'): Record<string, Mail> {
  const signIn = { username: word, device: word, ip: word, at }
  return {
    verify: writeMail('verify', { username: word, link }, language),
    reset: writeMail('reset', { username: word, link }, language),
    'no-password': writeMail('no-password', { username: word }, language),
    'password-changed': writeMail('password-changed', { username: word }, language),
    'breached-password': writeMail('breached-password', { username: word }, language),
    'already-registered': writeMail('already-registered', { username: word }, language),
    'change-email': writeMail('change-email', { username: word, link }, language),
    'address-taken': writeMail('address-taken', { username: word }, language),
    'email-changed': writeMail('email-changed', { username: word, email: word, link }, language),
    'email-displaced': writeMail('email-displaced', { username: word }, language),
    'email-restored': writeMail('email-restored', { username: word }, language),
    'factors-changed': writeMail('factors-changed', { username: word, change: 'totp_added' }, language),
    'new-sign-in': writeMail('new-sign-in', signIn, language),
    'new-sign-in-without-password': writeMail('new-sign-in-without-password', signIn, language),
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
    for (const form of [text, html]) t.match(form, '“anna”')
    t.notMatch(html, /<(img|script|link|iframe|form)\b|url\(|@import/i)
    t.match(html, /color-scheme[^]+prefers-color-scheme: dark/)
    t.match(html, '<table role="presentation"')
  })
}

t.test('verify, reset: the link and its lifetime, in text and HTML', async t => {
  const { verify, reset } = write('anna')
  for (const [mail, time] of [
    [verify, '24 hours'],
    [reset, 'one hour'],
  ] as const) {
    t.match(mail?.text, `\n${link}\n`)
    t.match(mail?.html, `href="${link}"`)
    for (const form of [mail?.text, mail?.html]) t.match(form, time)
  }
})

t.test('new-sign-in: device, address and time', async t => {
  const signIn = { username: 'anna', device: 'Firefox on Linux', ip: '2001:db8::1', at }
  const TIMES: Partial<Record<Language, RegExp>> = {
    en: /Firefox on Linux[^]+2001:db8::1[^]+4 March 2026 at 05:06 UTC/,
    de: /Firefox unter Linux[^]+2001:db8::1[^]+4\. März 2026 um 05:06 UTC/,
  }
  for (const [language, time] of Object.entries(TIMES)) {
    const { text, html } = writeMail('new-sign-in', signIn, language as Language)
    for (const form of [text, html]) t.match(form, time)
  }
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
        if (mail.text.length > 1_800 || /[^\P{C}\n]/u.test(mail.text)) return false
      }
      return true
    }),
    { numRuns: 500 }
  )
})

for (const language of LANGUAGE_NAMES) {
  t.test(`every mail in ${language}: complete, with its language and direction`, async t => {
    for (const [kind, { subject, text, html }] of Object.entries(write('anna', language))) {
      for (const form of [subject, text, html]) t.notMatch(form, /[{}]\w+\}|undefined/, kind)
      t.match(html, `<html lang="${language}" dir="${directionOf(language)}"`)
      t.ok(text.includes('anna') && html.includes('anna'), kind)
      t.ok(subject.length < 90, subject)
    }
  })
}

for (const language of LANGUAGE_NAMES) {
  t.test(`every mail in ${language}: the preview, the button, and its address as a link`, async t => {
    for (const [name, values] of SAMPLE_MAILS) {
      const { text, html } = writeMail(name, values, language)
      const [button, address, ...more] = [...html.matchAll(/<a class="(\w+)"[^>]* href="([^"]+)"[^>]*>([^<]+)<\/a>/g)]
      t.strictSame([button?.[1], address?.[1], more.length], ['button', 'link', 0], name)
      t.equal(html.match(/<a\b/g)?.length, 2, `${name}: no other link`)
      t.equal(address?.[2], button?.[2], name)
      t.equal(address?.[3], address?.[2], `${name}: the link shows its address`)
      t.ok(text.split('\n').some(line => escapeHtml(line) === button?.[2]), `${name}: also in the text`)
      t.match(address?.[0], 'dir="ltr"')

      const [, preview = ''] = html.match(/<div class="preview" style="display:none;[^"]*">([^]*?)<\/div>/) ?? []
      const [, first = ''] = html.match(/<p class="text"[^>]*>([^<]*)<\/p>/) ?? []
      t.ok(first.length > 10 && preview.startsWith(first), `${name}: the preview is the first paragraph`)
      t.match(preview.slice(first.length), /^(&#847;&zwnj;&nbsp;){80}$/, `${name}: and nothing that follows it`)
      const tables = html.match(/<table [^>]*>/g) ?? []
      t.ok(tables.every(table => table.includes(` dir="${directionOf(language)}"`)), 'some programs drop <html>')
      t.match(html, '<meta name="color-scheme" content="light dark">')
    }
  })
}

t.test('the brand: its logo with its name beside, or the first letter', async t => {
  const verify = async (more: object) =>
    (await createMailWriter({ ...SENDER, ...more }, files))('verify', { username: 'anna', link }, 'en').html
  for (const [logo, src] of [
    ['/logo.png?a&b', 'https://auth.example.com/logo.png?a&amp;b'],
    ['https://cdn.example.com/logo.png', 'https://cdn.example.com/logo.png'],
  ]) {
    const html = await verify({ logo })
    t.strictSame(html.match(/<img [^>]*>/g)?.map(image => image.match(/src="([^"]*)" alt=""/)?.[1]), [src])
    t.match(html, />Gatehouse<\/td>/, 'also where images are off')
    t.notMatch(html, 'class="initial"')
  }
  t.match(await verify({ brand: 'élan' }), /class="initial" aria-hidden="true"[^>]*>É<[^]+>élan<\/td>/)
})

t.test('links can be read on both surfaces, for any colour of the brand', async t => {
  for (const color of ['#ffe600', '#000000', '#ffffff', '#2f5bea', '#767676']) {
    const write = await createMailWriter({ ...SENDER, color }, files)
    const { html } = write('verify', { username: 'anna', link }, 'en')
    const [, light = ''] = html.match(/<a class="link"[^>]*style="color:(#\w{6})/) ?? []
    const [, dark = ''] = html.match(/\.link \{ color: (#\w{6})/) ?? []
    t.ok(contrast(light, '#ffffff') >= 4.5, `${color}: ${light}`)
    t.ok(contrast(dark, '#191d25') >= 4.5, `${color}: ${dark}`)
  }
})

t.test('a name that looks like a link does not become one', async t => {
  const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyEmail: true })
  t.ok(linkify.test('an account “www.evil.com” was created'), 'it would become one')
  for (const name of ['www.evil.com', 'evil.com', 'http.evil.com', 'evil.co.uk', 'x@evil.com', 'https://evil.com/a']) {
    for (const [kind, { text }] of Object.entries(write(name))) {
      const found = linkify.match(text)?.map(({ url }) => url) ?? []
      t.strictSame(found.filter(url => !url.startsWith(SENDER.url)), [], `${kind}: ${name}`)
    }
  }
  t.match(write('www.evil.com').verify?.text, 'www.\u202fevil.\u202fcom')
})

t.test('the button has the colour of the brand, and a text that can be read on it', async t => {
  const writeBright = await createMailWriter({ ...SENDER, color: '#ffe600' }, files)
  t.match(writeBright('verify', { username: 'anna', link }, 'en').html, /background-color:#ffe600[^]+color:#000000/)
  t.match(write('anna').verify?.html, /background-color:#2f5bea[^]+color:#ffffff/)
})
