import t from 'tap'
import { fill, flatten } from '../../../src/pages/template.ts'
import { providerName } from '../../../src/providers/display-name.ts'

t.test('values are filled in, escaped and once', async t => {
  t.equal(
    fill('<p title="{{a.b}}">{{c-d}}</p>', { 'a.b': '"><script>', 'c-d': '{{a.b}}' }),
    '<p title="&quot;&gt;&lt;script&gt;">{{a.b}}</p>'
  )
})

t.test('parts stay where their name is true', async t => {
  t.equal(fill('1<!-- if on -->2<!-- end -->3<!-- if off -->4<!-- end -->5', { on: true, off: false }), '1235')
})

t.test('a page that wants what nobody has does not get out', async t => {
  t.throws(() => fill('{{nothing}}', {}), { message: /"nothing"/ })
  t.throws(() => fill('<!-- if nothing --><!-- end -->', {}))
})

t.test('texts become one level of names', async t => {
  t.strictSame(flatten({ a: { b: 'x', c: ['y', 'z'] }, d: () => '' }), { 'a.b': 'x', 'a.c.0': 'y', 'a.c.1': 'z' })
})

t.test('providers have the name that people know', async t => {
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
