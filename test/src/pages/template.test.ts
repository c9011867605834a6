import t from 'tap'
import { fill, flatten } from '../../../src/pages/template.ts'
import { providerName } from '../../../src/providers/display-name.ts'

t.test('values are inserted, escaped and once', async t => {
  t.equal(
    fill('<p title="{{a.b}}">{{c-d}}</p>', { 'a.b': '"><script>', 'c-d': '{{a.b}}' }),
    '<p title="&quot;&gt;&lt;script&gt;">{{a.b}}</p>'
  )
})

t.test('conditional parts are kept where their name is true', async t => {
  t.equal(fill('1<!-- if on -->2<!-- end -->3<!-- if off -->4<!-- end -->5', { on: true, off: false }), '1235')
})

t.test('a missing value is an error', async t => {
  t.throws(() => fill('{{nothing}}', {}), { message: /"nothing"/ })
  t.throws(() => fill('<!-- if nothing --><!-- end -->', {}))
})

t.test('texts are flattened', async t => {
  t.strictSame(flatten({ a: { b: 'x', c: ['y', 'z'] }, d: () => '' }), { 'a.b': 'x', 'a.c.0': 'y', 'a.c.1': 'z' })
})

t.test('providers have their display names', async t => {
  for (const [url, name] of [
    ['https://accounts.google.com/o', 'Google'],
    ['https://github.com/login', 'GitHub'],
    ['https://id.example.com/auth', 'id.example.com'],
    ['http://127.0.0.1:4000/auth', 'Provider A'],
    ['http://localhost/auth', 'Provider A'],
  ] as const) {
    t.equal(providerName(url, 'Provider A'), name)
  }
})
