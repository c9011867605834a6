import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build, BASE_SETTINGS } from '../../support/build.ts'
import { runWith } from '../../support/cli/in-process.ts'
import { gatehouse } from '../../support/process.ts'
import { startSmtp } from '../../support/smtp.ts'
import { temporaryFolder } from '../../support/stack.ts'

const run = (...args: string[]) => runWith({}, ['templates', ...args])

t.test('templates export, check: what is written has no problems', async t => {
  const folder = join(temporaryFolder(end => t.teardown(end)), 'new')
  t.match(await run('export', folder), { code: 0, stdout: /^Wrote \d+ files/ })
  const written = readdirSync(folder, { recursive: true }).map(String)
  for (const name of ['login.eta', 'error.eta', 'style.css', 'texts/ar.js', 'mails/html.eta', 'mails/texts/ja.js']) {
    t.ok(written.includes(name), name)
  }
  t.notOk(written.includes('login.js'))
  t.match(await run('check', folder), { code: 0, stdout: /^No problems/, stderr: '' })

  writeFileSync(join(folder, 'login.eta'), 'mine')
  t.match(await run('export', folder), { code: 1, stderr: /already exists\. Nothing was written/ })
  t.equal(readFileSync(join(folder, 'login.eta'), 'utf8'), 'mine')
  t.match(await run('check', folder), { code: 1, stdout: /^login\.eta: no element has id="/ })
})

t.test('TEMPLATES_DIR: pages and mails from the folder', async t => {
  const folder = temporaryFolder(end => t.teardown(end))
  await run('export', folder)
  for (const name of ['texts', 'dashboard.eta']) rmSync(join(folder, name), { recursive: true })
  const change = (name: string, from: string, to: string) =>
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').replace(from, to))
  change('login.eta', '<h1>', '<p>Only for <%= it.brand %></p><h1>')
  change('mails/texts/en.js', "greeting: 'Hello,'", "greeting: 'Ahoy,'")
  const smtp = await startSmtp(t)
  const { app } = await build(t, {
    settings: { TEMPLATES_DIR: folder, BRAND_NAME: 'A & B', SMTP_URL: smtp.url },
  })
  t.match((await app.inject('/login')).body, '<p>Only for A &amp; B</p><h1')
  t.equal((await app.inject('/dashboard')).statusCode, 200)
  const ada = { username: 'ada', email: 'ada@example.com', password: 'tr0mbone-Under-glass!' }
  await app.inject({ method: 'POST', url: '/register', payload: ada })
  t.match((await smtp.next()).text, /^Ahoy,/)
})

t.test('serve with a broken template: refused in one line', async t => {
  const folder = temporaryFolder(end => t.teardown(end))
  writeFileSync(join(folder, 'login.eta'), '<% if (%>')
  const settings = { ...BASE_SETTINGS, DATABASE_URL: 'postgres://127.0.0.1:1/x', TEMPLATES_DIR: folder }
  const { code, stderr } = await gatehouse(['serve'], settings).ended
  t.equal(code, 1)
  t.match(stderr, /^TEMPLATES_DIR has a problem: login\.eta: [^\n]+\n$/)
})
