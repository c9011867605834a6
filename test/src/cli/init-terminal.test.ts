import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t, { type Test } from 'tap'
import { openTerminal } from '../../support/cli/terminal.ts'

const SMTP_URL = 'smtps://me:pa55w0rd@mail.example.com'
const [CTRL_C, CTRL_D, ENTER] = ['\u0003', '\u0004', '\r']

function init (t: Test, { columns, args = ['--compose'] }: { columns?: number, args?: string[] } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-init-'))
  t.teardown(() => rmSync(cwd, { recursive: true }))
  return { cwd, ...openTerminal(t, ['init', ...args], {}, { cwd, columns }) }
}

const PUBLIC_URL_HINT = 'The URL of the service in browsers, such as https://auth.example.com.'
const SMTP_QUESTION = [
  'Your mail server, such as smtps://user:password@mail.example.com.',
  'You can leave this empty and add it to the file later. The input is not shown.',
  'SMTP_URL:',
]
const AGAIN = 'Try again, or press Ctrl-C to cancel.'

t.test('init in a terminal: the questions stay on the screen, the mail password is not shown (0)', async t => {
  const { cwd, shows, type, ended, received } = init(t)
  await shows(PUBLIC_URL_HINT, 'Public URL:')
  type('https://auth.example.cim\b\b')
  await shows(PUBLIC_URL_HINT, 'Public URL: https://auth.example.c')
  type(`om${ENTER}`)
  const answered = [PUBLIC_URL_HINT, 'Public URL: https://auth.example.com', ...SMTP_QUESTION]
  await shows(...answered)
  type(SMTP_URL + ENTER)
  const lines = [...answered, 'Wrote .env with new secrets. Only you can read it.']
  t.strictSame(await ended(), { code: 0, echo: 'on', lines })
  t.notMatch(received(), 'pa55w0rd')
  t.match(parseEnv(readFileSync(join(cwd, '.env'), 'utf8')), { PUBLIC_URL: 'https://auth.example.com', SMTP_URL })
})

t.test('init in a terminal: a wrong answer is asked for again (0)', async t => {
  const { cwd, shows, type, ended } = init(t, { columns: 120 })
  const shown = [PUBLIC_URL_HINT]
  await shows(...shown, 'Public URL:')
  for (const typo of ['auth.example.com', 'http://auth.example.com', 'https://auth.example.com/login', '']) {
    type(typo + ENTER)
    shown.push(
      `Public URL: ${typo}`.trim(),
      'The public URL must be https:// and a host, such as https://auth.example.com.',
      AGAIN,
      PUBLIC_URL_HINT
    )
    await shows(...shown, 'Public URL:')
  }
  type(`https://auth.example.com${ENTER}`)
  shown.push('Public URL: https://auth.example.com')
  await shows(...shown, ...SMTP_QUESTION)
  for (const [typo, reason] of [
    ['mail.example.com', 'SMTP_URL must be a URL that begins with smtp:// or smtps://.'],
    ["smtp://me:o'neil@x.example", 'SMTP_URL must not contain a single quote or a line break. ' +
      'Write a quote in the password as %27.'],
  ]) {
    type(typo + ENTER)
    shown.push(...SMTP_QUESTION, reason as string, AGAIN)
    await shows(...shown, ...SMTP_QUESTION)
  }
  type(ENTER)
  t.match(await ended(), { code: 0, echo: 'on' })
  t.match(parseEnv(readFileSync(join(cwd, '.env'), 'utf8')), { PUBLIC_URL: 'https://auth.example.com', SMTP_URL: '' })
})

t.test('init in a terminal: asks what to write the settings for, again after a wrong answer (0)', async t => {
  const { cwd, shows, type, ended } = init(t, { columns: 120, args: ['--folder', 'etc'] })
  const shown = ['Where the service will run: compose (Docker), debian (a server) or kubernetes.']
  await shows(...shown, 'Write the settings for:')
  for (const typo of ['docker', '']) {
    type(typo + ENTER)
    const refused = [`Write the settings for: ${typo}`.trim(), 'Choose one of compose, debian, kubernetes.', AGAIN]
    shown.push(...refused, shown[0] as string)
    await shows(...shown, 'Write the settings for:')
  }
  type(`Debian${ENTER}`)
  shown.push('Write the settings for: Debian', PUBLIC_URL_HINT)
  await shows(...shown, 'Public URL:')
  type(`https://auth.example.com${ENTER}`)
  shown.push('Public URL: https://auth.example.com')
  await shows(...shown, ...SMTP_QUESTION)
  type(ENTER)
  t.match(await ended(), { code: 0, echo: 'on' })
  t.strictSame(readdirSync(join(cwd, 'etc')), ['credentials', 'gatehouse.env'])
})

for (const [key, name] of [[CTRL_C, 'Ctrl-C'], [CTRL_D, 'Ctrl-D']] as const) {
  t.test(`init in a terminal: ${name} at the first question writes nothing (130)`, async t => {
    const { cwd, shows, type, ended } = init(t)
    await shows(PUBLIC_URL_HINT, 'Public URL:')
    type(key)
    t.strictSame(await ended(), {
      code: 130,
      echo: 'on',
      lines: [PUBLIC_URL_HINT, 'Public URL:', 'Cancelled. Nothing was changed.'],
    })
    t.strictSame(readdirSync(cwd), [])
  })
}

t.test('init in a terminal: Ctrl-C in the mail password writes nothing and shows nothing (130)', async t => {
  const { cwd, shows, type, ended, received } = init(t)
  await shows(PUBLIC_URL_HINT, 'Public URL:')
  type(`https://auth.example.com${ENTER}`)
  const answered = [PUBLIC_URL_HINT, 'Public URL: https://auth.example.com', ...SMTP_QUESTION]
  await shows(...answered)
  type(`smtps://me:pa55${CTRL_C}`)
  t.strictSame(await ended(), { code: 130, echo: 'on', lines: [...answered, 'Cancelled. Nothing was changed.'] })
  t.notMatch(received(), 'pa55')
  t.strictSame(readdirSync(cwd), [])
})
