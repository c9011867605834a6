// Recipes of docs/openid.md, run as they are printed: only hosts and ports are replaced.
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { withoutRedis } from '../support/build.ts'
import { withoutChromium } from '../support/chromium.ts'
import { codeBlocks, runServer } from '../support/deploy/code-blocks.ts'
import { withoutNginx } from '../support/deploy/front-end.ts'
import { APP, AUTH, recipe, startGatehouse, type Gatehouse } from '../support/openid/recipes.ts'
import { eventually } from '../support/patience.ts'

/** Starts the application of a recipe, and opens it in a new browser. */
async function openRecipe (t: Test, gatehouse: Gatehouse, heading: string) {
  const [command = '', code = ''] = recipe(heading)
  const { address, leadTo } = await gatehouse.openHost()
  leadTo(await runServer(t, code, { [AUTH]: gatehouse.url, [APP]: address }, {
    ...await gatehouse.addApplication(command, address),
    SESSION_SECRET: 'a-text-of-more-than-thirty-two-characters',
    NODE_EXTRA_CA_CERTS: gatehouse.certificateFile,
  }))
  const page = await gatehouse.open(t)
  await page.goto(address)
  const user = async () => JSON.parse(await page.textContent('pre') ?? '')
  const isSignedIn = async () => (await page.request.get(`${gatehouse.url}/api/auth/me`)).status() === 200
  return { page, address, user, isSignedIn }
}

t.test('docs/openid.md: each block of the recipes is run by a test', async t => {
  const known: Record<string, string[]> = {
    Express: ['sh', 'js'],
    Fastify: ['sh', 'js'],
    'Auth.js': ['sh', 'js'],
    'Single-page application': ['sh', 'html', 'js'],
    'Desktop program': ['sh', 'js'],
    Python: ['sh', 'python', 'sh'],
    Apache: ['sh', 'apache'],
    'An API behind Apache': ['sh', 'apache'],
    'A machine': ['sh', 'js'],
    'Step-up for one action': ['sh', 'sh', 'js', 'js'],
  }
  const [, text = ''] = readFileSync('docs/openid.md', 'utf8').split(/^## Recipes$|^## What to enter/m)
  const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading)
  t.strictSame(headings, Object.keys(known))
  const blocks = codeBlocks('docs/openid.md')
  for (const each of headings) {
    t.strictSame(blocks.filter(({ heading }) => heading === each).map(({ language }) => language), known[each], each)
  }
})

t.test('applications on Node', { skip: withoutNginx || withoutRedis || withoutChromium }, async t => {
  const gatehouse = await startGatehouse(t)
  const ADA = { sub: gatehouse.user.id, email: 'ada@example.com', preferred_username: 'ada' }
  const GREETING = `You are user ${gatehouse.user.id}. Sign out`

  await t.test('docs/openid.md: Express with express-openid-connect', async t => {
    const { page, address, user, isSignedIn } = await openRecipe(t, gatehouse, 'Express')
    t.equal(new URL(page.url()).origin, gatehouse.url)
    await gatehouse.signIn(page)
    await page.waitForURL(`${address}/`)
    t.equal(await page.textContent('p'), GREETING)
    await page.goto(`${address}/me`)
    t.match(await user(), ADA)

    await t.test('docs/openid.md: a sign-out at Gatehouse reaches the application', async () => {
      await page.goto(`${gatehouse.url}/logout`)
      await page.click('main button')
      await page.waitForURL(`${gatehouse.url}/login*`)
      await eventually(async () => (await page.goto(address))?.url() ?? '', url => url.startsWith(gatehouse.url))
      await gatehouse.signIn(page)
      await page.waitForURL(`${address}/`)
    })

    await t.test('docs/openid.md: a sign-out at the application ends the session at Gatehouse', async t => {
      await page.click('text=Sign out')
      await page.waitForURL(url => url.pathname === '/login')
      t.notOk(await isSignedIn())
    })
  })

  await t.test('docs/openid.md: Fastify with openid-client', async t => {
    const { page, address, user, isSignedIn } = await openRecipe(t, gatehouse, 'Fastify')
    await gatehouse.signIn(page)
    await page.waitForURL(`${address}/`)
    t.equal(await page.textContent('p'), GREETING)
    for (const time of ['once', 'again']) {
      await page.goto(`${address}/me`)
      t.match(await user(), ADA, `refreshed ${time}`)
    }
    await page.goto(address)
    await page.click('text=Sign out')
    await page.waitForURL(url => url.pathname === '/login')
    t.notOk(await isSignedIn())
  })

  await t.test('docs/openid.md: Auth.js', async t => {
    const { page, address } = await openRecipe(t, gatehouse, 'Auth.js')
    await page.click('text=Sign in with Gatehouse')
    await gatehouse.signIn(page)
    await page.waitForURL(`${address}/`)
    t.equal(await page.textContent('p'), GREETING)
    await page.click('text=Sign out')
    await page.click('button[type=submit]')
    await page.waitForURL(`${address}/auth/signin`)
  })
})
