// The application in docs/hooks.md, as it is, against the service.
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { HOOK_SECRET } from '../../support/application.ts'
import { createBrowser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { makeFolder } from '../../support/folder.ts'
import { eventually } from '../../support/patience.ts'

const CODE = readFileSync('docs/hooks.md', 'utf8').split('```js\n')[1]?.split('\n```')[0] as string

t.test('docs/hooks.md: the application takes one domain, and no forged question', async t => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const folder = makeFolder(t)
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const path = join(folder, 'application.mjs')
  writeFileSync(path, CODE)
  const application = spawn(process.execPath, [path], { env: { ...process.env, HOOK_SECRET, PORT: String(port) } })
  t.teardown(() => application.kill())
  const forged = await eventually(
    () => fetch(url, { method: 'POST', body: '{"type":"sign_in.requested","data":{}}' }).catch(() => undefined),
    answer => answer !== undefined
  )
  t.equal(forged?.status, 401)

  const { app } = await build(t, {
    settings: {
      ...NO_LIMITS,
      EMAIL_VERIFICATION: 'off',
      WEBHOOK_PRIVATE: 'allow',
      REGISTRATION_HOOK: url,
      REGISTRATION_HOOK_AWAY: 'refuse',
      SIGN_IN_HOOK: url,
      SIGN_IN_HOOK_AWAY: 'refuse',
      HOOK_SECRET,
    },
  })
  const browser = createBrowser(app)
  const register = (username: string, email: string) =>
    browser.post('/register', { username, email, password: PASSWORD })
  t.strictSame((await register('eve', 'eve@example.org')).json(), {
    error: 'Refused by the application',
    message: 'Please register with your address of example.com.',
  })
  t.equal((await register('ada', 'ada@Example.com')).statusCode, 201)
  t.equal((await browser.signIn('ada')).statusCode, 200)
  t.equal((await createBrowser(app).signIn('eve')).statusCode, 401)
})
