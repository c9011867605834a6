import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { RULES } from '../../pages/parts/password-rules.js'
import { loadMailTexts } from '../../src/mail/templates.ts'
import { findPageFiles } from '../../src/site/files.ts'
import { loadTexts } from '../../src/site/texts.ts'

const { files } = await findPageFiles()
const pages = await loadTexts(files)
const mails = await loadMailTexts(files)
const en = pages.get('en') as NonNullable<ReturnType<typeof pages.get>>

/** Every key with the type of its value. Feedback has its own test. */
function shape (texts: object, prefix = ''): string[] {
  return Object.entries(texts)
    .flatMap(([name, value]) => {
      if (name === 'feedback') return []
      return typeof value === 'object' ? shape(value, `${prefix}${name}.`) : [`${prefix}${name}: ${typeof value}`]
    })
    .sort()
}

/** `{ login: { title: 'Sign in' } }` as `{ 'login.title': 'Sign in' }`, without functions. */
function flatten (texts: object, prefix = ''): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, value]) => {
    if (typeof value === 'string') return [[prefix + name, value]]
    return typeof value === 'object' ? Object.entries(flatten(value, `${prefix}${name}.`)) : []
  }))
}

/** Words that are the same in English. */
const SAME_AS_ENGLISH: Record<string, string[]> = {
  de: ['register.name', 'passkeys.title'],
  fr: ['dashboard.sections.applications'],
  it: ['login.password', 'password.label', 'dashboard.passwordTitle'],
}

const placeholders = (text: string) => text.match(/\{\w+\}/g)?.sort().join() ?? ''

for (const [name, languages] of Object.entries({ pages, mails })) {
  t.test(`${name}: every language has every text, and no other`, async t => {
    const english = languages.get('en') as object
    const original = flatten(english)
    t.strictSame(
      readdirSync(name === 'pages' ? 'pages/texts' : 'pages/mails/texts').sort(),
      [...languages.keys()].map(language => `${language}.js`).sort()
    )
    for (const [language, texts] of languages) {
      t.strictSame(shape(texts), shape(english), language)
      const own = flatten(texts)
      for (const [key, text] of Object.entries(own)) {
        t.ok(text.trim() === text && text !== '', `${language} ${key}`)
        t.equal(placeholders(text), placeholders(original[key] ?? ''), `${language} ${key}`)
      }
      if (language === 'en') continue
      const same = Object.keys(own).filter(key => own[key] === original[key] && !/^\{\w+\}$/.test(own[key] ?? ''))
      t.strictSame(same, name === 'pages' ? SAME_AS_ENGLISH[language] ?? [] : [], `${language}: nothing in English`)
    }
  })
}

/** Words of another form of address, of another continent, or for another thing than elsewhere. */
const OF_ANOTHER_VOICE: Record<string, RegExp> = {
  de: /\b(du|dich|dir|deine?[mnrs]?)\b/gi,
  fr: /\b(tu|toi|ton)\b/gi,
  es: /\b(usted|introduzca|continúe)\b/gi,
  pt: /\b(para si|utilizador|palavra-passe)\b/gi,
  nl: /\b(u|uw|applicaties?)\b/gi,
  zh: /你|账户/g,
}

t.test('pages, mails: one voice and its quotation marks in each language', async t => {
  for (const language of pages.keys()) {
    const ofMails = readFileSync(`pages/mails/texts/${language}.js`, 'utf8')
    t.notMatch(ofMails, /"/, `mails in ${language}`)
    const words = ofMails + readFileSync(`pages/texts/${language}.js`, 'utf8')
    t.strictSame(words.match(OF_ANOTHER_VOICE[language] ?? /(?!)/g) ?? [], [], language)
  }
})

t.test('every text is used', async t => {
  const sources = readdirSync('pages', { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(eta|js)$/.test(file) && !/^(texts|mails|operator)\//.test(file))
    .map(file => readFileSync(`pages/${file}`, 'utf8'))
    .join('\n')
  const looked = shape(en)
    .map(line => line.split(':')[0] as string)
    .filter(name => !/^events\.|^failure\.|^scopes\.|scores/.test(name))
  for (const name of looked) t.match(sources, new RegExp(`\\b${name.split('.').at(-1)}\\b`), name)
})

/** Recorded without an account, so that no dashboard shows them. */
const OF_NO_USER = new Set([
  'accounts_imported',
  'webhook_added', 'webhook_changed', 'webhook_paused', 'webhook_resumed', 'webhook_rotated', 'webhook_resent',
  'webhook_removed', 'key_added', 'key_ended',
  'application_added', 'application_changed', 'application_secret_rotated', 'application_removed',
])

t.test('every event has a text', async t => {
  const source = readFileSync('plugins/records/audit/events.ts', 'utf8')
  const [, kinds = ''] = source.match(/const KINDS = \[([^]+?)\]/) ?? []
  const names = [...kinds.matchAll(/'(\w+)'/g)].map(([, name]) => name as string).filter(name => !OF_NO_USER.has(name))
  t.ok(names.length > 10)
  t.strictSame(
    Object.keys(en.events)
      .filter(name => name !== 'unknown')
      .sort(),
    names.sort()
  )
})

t.test('every feedback of zxcvbn has a translation', async t => {
  const source = readFileSync('node_modules/zxcvbn/lib/feedback.js', 'utf8')
  const sentences = [...source.matchAll(/'((?:[A-Z][^'\\]+|[A-Z][^']*\\'[^']*))'|"([A-Z][^"]+)"/g)].map(
    ([, single, double]) => single ?? (double as string)
  )
  t.ok(sentences.length > 20, `${sentences.length} sentences`)
  for (const [language, { password }] of pages) {
    if (language === 'en') continue
    t.strictSame(Object.keys(password.feedback).sort(), sentences.toSorted(), language)
    for (const sentence of sentences) t.not(password.feedback[sentence], sentence, language)
  }
})

t.test('the hints about a password do not contradict its rules', async t => {
  for (const [language, { password }] of pages) {
    t.ok(password.feedback['No need for symbols, digits, or uppercase letters'], language)
    for (const rule of Object.keys(RULES) as Array<keyof typeof RULES>) {
      t.match(password.rules, password[rule], `${language} ${rule}`)
    }
    for (const rule of [password.uppercase, password.digit, password.special]) {
      // Without the article, or the verb.
      t.match(password.advice, rule.replace(/^\S+ |を含む$|^包含一个/u, ''), language)
    }
  }
})

t.test('functions insert their arguments, and use plurals', async t => {
  for (const [language, texts] of pages) {
    for (const text of [texts.arrival.providerFailed('Google'), texts.arrival.noEmail('Google')]) {
      t.match(text, 'Google', language)
    }
    t.match(texts.email.sent('ann@example.com'), 'ann@example.com', language)
    t.match(texts.wait.shown('1:05'), '1:05', language)
    t.match(texts.password.missing('x, y'), 'x, y', language)
    for (const score of texts.password.scores) t.match(texts.password.rated(score), score, language)
    for (const write of [texts.wait.spoken, texts.factors.left]) {
      t.match(write(5), '5', language)
      t.notMatch(write(5), /undefined|NaN/, language)
      if (!['ja', 'zh'].includes(language)) t.not(write(1).replace('1', '5'), write(5), language)
    }
    t.equal(texts.device('Firefox on Linux').includes(' on '), language === 'en', language)
    t.equal(texts.device('Unknown device') === 'Unknown device', language === 'en', language)
  }
})
