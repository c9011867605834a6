// The recipe of docs/openid.md for Python, run as it is printed: only hosts and ports are replaced.
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { isInstalled } from '../../demo/programs.ts'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { startServer } from '../support/deploy/code-blocks.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { folderWith } from '../support/folder.ts'
import { APP, AUTH, recipe, startGatehouse } from '../support/openid/recipes.ts'

const withoutAuthlib = ['python3-authlib', 'python3-flask', 'python3-requests'].every(isInstalled)
  ? false
  : 'NO python3-authlib ON THIS MACHINE: THE RECIPE FOR PYTHON DID NOT RUN'

t.test('docs/openid.md: Flask with Authlib', {
  skip: withoutAuthlib || withoutNginx || withoutRedis || withoutChromium,
}, async t => {
  const gatehouse = await startGatehouse(t)
  const [command = '', code = '', start = ''] = recipe('Python')
  const [port, { address, leadTo }] = [await freePort(), await gatehouse.openHost()]
  const cwd = folderWith(t, { 'orders.py': code.replaceAll(AUTH, gatehouse.url).replaceAll(APP, address) })
  // Debian's own, which has the packages: there may be another one in the path.
  const [, ...args] = start.trim().replace('8080', String(port)).split(' ')
  await startServer(t, ['/usr/bin/python3', ...args], port, {
    cwd,
    env: {
      ...await gatehouse.addApplication(command, address),
      SESSION_SECRET: 'a-text-of-more-than-thirty-two-characters',
      REQUESTS_CA_BUNDLE: gatehouse.certificateFile,
    },
  })
  leadTo(port)

  const page = await gatehouse.open(t)
  await page.goto(address)
  await gatehouse.signIn(page)
  await page.waitForURL(`${address}/`)
  t.equal(await page.textContent('p'), `You are user ${gatehouse.user.id}. Sign out`)
  for (const time of ['once', 'again']) {
    await page.goto(`${address}/me`)
    const user = JSON.parse(await page.textContent('pre') ?? '')
    t.match(user, { sub: gatehouse.user.id, email: 'ada@example.com' }, `refreshed ${time}`)
  }
  await page.goto(address)
  await page.click('text=Sign out')
  await page.waitForURL(url => url.pathname === '/login')
  t.equal((await page.request.get(`${gatehouse.url}/api/auth/me`)).status(), 401)
})
