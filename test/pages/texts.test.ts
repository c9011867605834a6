import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import de from '../../pages/texts/de.js'
import en from '../../pages/texts/en.js'

const LANGUAGES = { en, de }

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

t.test('every language has every text', async t => {
  t.strictSame(
    readdirSync('pages/texts').sort(),
    Object.keys(LANGUAGES)
      .map(language => `${language}.js`)
      .sort()
  )
  t.strictSame(shape(de), shape(en))
  for (const [language, texts] of Object.entries(LANGUAGES)) {
    for (const [name, text] of Object.entries(flatten(texts))) {
      t.ok(text.trim() === text && text !== '', `${language} ${name}`)
    }
  }
  const same = Object.entries(flatten(en))
    .filter(([name, text]) => flatten(de)[name] === text)
    .map(([name]) => name)
  t.strictSame(same, ['register.name'], 'no text is left in English')
})

t.test('every text is used', async t => {
  const sources = readdirSync('pages')
    .filter(file => /\.(eta|js)$/.test(file))
    .map(file => readFileSync(`pages/${file}`, 'utf8'))
    .join('\n')
  const looked = shape(en)
    .map(line => line.split(':')[0] as string)
    .filter(name => !/^events\.|^failure\.|scores/.test(name))
  for (const name of looked) t.match(sources, new RegExp(`\\b${name.split('.').at(-1)}\\b`), name)
})

t.test('every event has a text', async t => {
  const [, kinds = ''] = readFileSync('plugins/records/events.ts', 'utf8').match(/const KINDS = \[([^]+?)\]/) ?? []
  const names = [...kinds.matchAll(/'(\w+)'/g)].map(([, name]) => name as string)
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
  for (const sentence of sentences) t.ok(de.password.feedback[sentence], sentence)
})

t.test('functions insert their arguments', async t => {
  for (const texts of Object.values(LANGUAGES)) {
    t.match(texts.arrival.noEmail('Google'), 'Google')
    t.match(texts.wait.shown('1:05'), '1:05')
    t.notMatch(texts.wait.spoken(1), '1')
    t.match(texts.wait.spoken(2), '2')
  }
  t.equal(de.device('Firefox on Linux'), 'Firefox unter Linux')
})
