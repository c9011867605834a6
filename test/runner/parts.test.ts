import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { GATE, NIGHT, PARTS, partsFor } from './parts.ts'

t.test('every test file belongs to one part, of the gate or of the night', async t => {
  const files = Object.values(PARTS).flatMap(({ files }) => files)
  t.equal(new Set(files).size, files.length)
  t.strictSame(files.sort(), globSync('test/**/*.{test,long}.ts').sort())
  for (const { files } of Object.values(GATE)) t.ok(files.length > 0 && files.every(file => file.endsWith('.test.ts')))
})

t.test('--changed: the parts of the night that test a file', async t => {
  t.strictSame(partsFor(['docs/api.md']), [])
  t.strictSame(partsFor(['native/lanes.c']), ['native', 'timing'])
  t.strictSame(partsFor(['pages/login/login.eta']), ['engines'])
  t.strictSame(partsFor(['test/deploy/tls.long.ts']), ['linux'])
  for (const [name, { covers }] of Object.entries(NIGHT)) {
    for (const pattern of covers) t.ok(globSync(pattern).length > 0, `${name}: ${pattern}`)
  }
})

t.test('CONTRIBUTING.md: the table of the night', async t => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8')
  for (const [name, { about, covers }] of Object.entries(NIGHT)) {
    const row = `| \`${name}\` | ${about} | ${covers.map(pattern => `\`${pattern}\``).join(', ')} |\n`
    t.ok(text.includes(row), row)
  }
})
