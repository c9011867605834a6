// X-Auth-Claims through nginx and Caddy, with as much data as an account can have.
import type { RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { createUser } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startApp } from '../support/deploy/apps.ts'
import { startCaddy, withoutCaddy } from '../support/deploy/caddy.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, startInstances } from '../support/deploy/instances.ts'
import { createVisitor } from '../support/deploy/web-client.ts'
import { eventually } from '../support/patience.ts'

const echo: RequestListener = ({ headers }, answer) => answer.end(JSON.stringify(headers))
const FORGED = { 'x-auth-claims': Buffer.from('{"roles":["root"]}').toString('base64url') }
const SCRIPT = { accept: 'application/json', 'sec-fetch-mode': 'cors' }

interface Behind { instances: [number, number], app: number }
type FrontEnd = (t: Test, behind: Behind) => Promise<Parameters<typeof createVisitor>[0]>
const FRONT_ENDS: Array<[name: string, skip: string | false, start: FrontEnd]> = [
  ['nginx', withoutNginx || withoutRedis, startFrontEnd],
  ['Caddy', withoutCaddy || withoutRedis, startCaddy],
]

for (const [name, skip, start] of FRONT_ENDS) {
  t.test(`${name}: the app gets the claims of Gatehouse, never those of a client`, { skip }, async t => {
    const { owner, settings } = await productionSettings(t)
    const { ports } = await startInstances(t, { ...settings, TOKEN_CLAIMS: 'roles' })
    const frontEnd = await start(t, { instances: ports, app: await startApp(t, echo) })
    const user = await createUser(owner)
    const guest = createVisitor(frontEnd, { address: '127.0.0.71' })
    t.teardown(guest.leave)
    t.equal((await guest.post('/login', { username: user.username, password: user.password })).status, 200)
    const claims = async () => {
      const { status, body } = await guest.get('/app/', { ...SCRIPT, ...FORGED })
      if (status !== 200) return `${status} ${body}`
      return Buffer.from(JSON.parse(body)['x-auth-claims'], 'base64url').toString()
    }
    t.equal(await claims(), '{}')
    for (const data of ['{"roles":["editor"]}', JSON.stringify({ roles: 'x'.repeat(4_084) })]) {
      await owner.query(`
        INSERT INTO account_data (user_id, data) VALUES ($1, $2)
        ON CONFLICT (user_id) DO UPDATE SET data = $2`, [user.id, data])
      await eventually(claims, found => found === data, 2_000)
    }
    const stranger = createVisitor(frontEnd, { address: '127.0.0.72' })
    t.teardown(stranger.leave)
    t.equal((await stranger.get('/app/', { ...SCRIPT, ...FORGED })).status, 401)
  })
}
