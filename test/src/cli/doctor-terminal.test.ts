import t, { type Test } from 'tap'
import { openTerminal } from '../../support/cli/terminal.ts'
import { gatehouse } from '../../support/process.ts'

// Nothing else is set: six problems, and no check that needs a server.
const SETTINGS = { NODE_ENV: 'production', TRUST_PROXY: 'true' }
const COLOR = '\u001b['

async function showDoctor (t: Test, env: Record<string, string>, columns: number) {
  const terminal = openTerminal(t, ['doctor'], { ...SETTINGS, ...env }, { columns })
  return { ...await terminal.ended(), colored: terminal.received().includes(COLOR), received: terminal.received() }
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)

const inPipe = await gatehouse(['doctor'], SETTINGS).ended

t.test('doctor in a terminal: colours, wrapped at words to its width (1)', async t => {
  for (const columns of [120, 80, 44]) {
    const { code, lines, received } = await showDoctor(t, {}, columns)
    t.equal(code, 1)
    t.match(received, '\u001b[31mproblem')
    const tooLong = lines.filter(line => line.length > columns)
    t.strictSame(tooLong, [])
    t.strictSame(wordsOf(lines.join('\n')), wordsOf(inPipe.stdout), `no word is broken at ${columns} columns`)
    if (columns === 80) {
      t.strictSame(lines.slice(0, 4), [
        'problem  DATABASE_URL        is missing: set a PostgreSQL connection string,',
        '                             such as postgres://gatehouse:…@db:5432/gatehouse.',
        'problem  JWT_SECRET          must be at least 64 random characters: create one',
        '                             with `openssl rand -base64 64 | tr -d "\\n"`.',
      ])
      t.strictSame(lines.slice(-2), ['', '6 problems, 0 warnings.'])
    }
  }
})

t.test('doctor: no colours in a pipe, NO_COLOR and FORCE_COLOR decide otherwise', async t => {
  const forced = await gatehouse(['doctor'], { ...SETTINGS, FORCE_COLOR: '1' }).ended
  t.notMatch(inPipe.stdout, COLOR)
  t.equal(inPipe.stdout.trim().split('\n').length, 6 + 11 + 2, 'one line for each row')
  t.match(forced.stdout, COLOR)
  t.notOk((await showDoctor(t, { NO_COLOR: '1' }, 80)).colored)
  t.notOk((await showDoctor(t, { FORCE_COLOR: '0' }, 80)).colored)
})
