import fc from 'fast-check'
import t from 'tap'
import { safeNext } from '../../pages/parts/safe-next.js'

const HOME = '/dashboard'

t.test('next: paths of the service are kept', async t => {
  for (const next of [
    '/',
    '/app',
    '/app/page?tab=2&x=%2F%2Fy#part',
    '/dashboard#password',
    '/a//b',
    '/@host',
    '/:80/',
    '/login-help',
  ]) { t.equal(safeNext(next, HOME), next) }
  t.equal(safeNext('/a/../b', HOME), '/b')
})

const ELSEWHERE = [
  null,
  undefined,
  '',
  'app',
  'https://evil.example',
  'HTTPS://evil.example',
  'http:evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '\t//evil.example',
  '/\n/evil.example',
  '/\r\\evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '/\u0000/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/x/..//evil.example',
  '/./\\evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  '//evil.example/%2f..',
  '@evil.example',
  '/login',
  '/login?next=/login',
  '/x/../login',
]

for (const next of ELSEWHERE) {
  t.test(`next: ${JSON.stringify(next)} leads to the home page`, async t => {
    t.equal(safeNext(next, HOME), HOME)
  })
}

t.test('next: no value leads a browser to another site', async t => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '%2f',
    '%5c',
    '\t',
    '\n',
    '\r',
    '\u0000',
    ' ',
    ':',
    '@',
    '?',
    '#',
    'evil.example',
    'https:',
    'javascript:',
    'a',
    '\ud800',
    'ﬀ',
    '。',
    '／'
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece, { maxLength: 10 }).map(pieces => pieces.join('')),
        fc.array(piece, { maxLength: 8 }).map(pieces => `/${pieces.join('')}`)
      ),
      next => {
        const target = safeNext(next, HOME)
        return (
          target.startsWith('/') &&
          new URL(target, 'https://auth.example.com/login').origin === 'https://auth.example.com'
        )
      }
    ),
    { numRuns: 5_000 }
  )
})

const APP = 'https://app.example.com'

t.test('next: URLs of an app are kept, and no other URL', async t => {
  for (const next of [`${APP}/`, `${APP}/a/../b?c=d#e`, `${APP}/login`]) {
    t.equal(safeNext(next, HOME, [APP]), new URL(next).href)
    t.equal(safeNext(next, HOME, []), HOME)
  }
  for (const next of [
    ...ELSEWHERE,
    'http://app.example.com/',
    'https://app.example.com:8443/',
    'https://app.example.com@evil.example/',
    'https://user@app.example.com/',
    'https://:password@app.example.com/',
    'https://app.example.com.evil.example/',
    'https://app.example.com\\@evil.example/',
    'https:app.example.com',
    'https:\\\\app.example.com',
    '//app.example.com/',
    'https://x.app.example.com/',
    'https://example.com/',
    'ht\ntps://app.example.com/',
    ' https://app.example.com/',
  ]) { t.equal(safeNext(next, HOME, [APP]), HOME, String(next)) }
})
