// The recipe of docs/openid.md for a desktop program, run as it is printed: only the host is replaced.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { folderWith } from '../support/folder.ts'
import { AUTH, recipe, startGatehouse } from '../support/openid/recipes.ts'
import { eventually } from '../support/patience.ts'

t.test('docs/openid.md: a desktop program', { skip: withoutNginx || withoutRedis || withoutChromium }, async t => {
  const [command = '', code = ''] = recipe('Desktop program')
  const gatehouse = await startGatehouse(t)
  const { CLIENT_ID, CLIENT_SECRET } = await gatehouse.addApplication(command, '')
  t.equal(CLIENT_SECRET, '', 'no secret')
  const page = await gatehouse.open(t)

  /** Runs the program. What it opens, the browser of the test opens. */
  async function run () {
    const folder = folderWith(t, { 'xdg-open': '#!/bin/sh\nprintf %s "$1" > "$0.part" && mv "$0.part" "$0.url"\n' })
    chmodSync(join(folder, 'xdg-open'), 0o755)
    const source = code.replaceAll(AUTH, gatehouse.url)
    const program = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source], {
      env: { PATH: `${folder}:${process.env.PATH}`, CLIENT_ID, NODE_EXTRA_CA_CERTS: gatehouse.certificateFile },
    })
    const file = join(folder, 'xdg-open.url')
    await eventually(async () => existsSync(file), Boolean, 60_000)
    const url = new URL(readFileSync(file, 'utf8'))
    await page.goto(url.href)
    return { program, port: new URL(url.searchParams.get('redirect_uri') ?? '').port }
  }

  const first = await run()
  await gatehouse.signIn(page)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`http://127.0.0.1:${first.port}/callback?*`)
  t.equal(await page.textContent('body'), 'You can close this page.')
  t.equal((await first.program).stdout, 'Signed in as ada.\n')

  const second = await run()
  t.not(second.port, first.port)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`http://127.0.0.1:${second.port}/callback?*`)
  t.equal((await second.program).stdout, 'Signed in as ada.\n', 'on another port, for a user who is signed in')
})
