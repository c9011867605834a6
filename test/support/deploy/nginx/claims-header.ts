import type { Test } from 'tap'
import { createUser } from '../../browser.ts'
import { createVisitor } from '../web-client.ts'
import type { Deployment } from './deployment.ts'
import { eventually } from '../../patience.ts'

const FORGED = { 'x-auth-claims': Buffer.from('{"roles":["root"]}').toString('base64url') }
const SCRIPT = { accept: 'application/json', 'sec-fetch-mode': 'cors' }

/** With as much data as an account can have. */
export async function testClaimsHeader (
  t: Test,
  { owner }: Deployment,
  frontEnd: Parameters<typeof createVisitor>[0]
) {
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
    await eventually(claims, found => found === data)
  }
  const stranger = createVisitor(frontEnd, { address: '127.0.0.72' })
  t.teardown(stranger.leave)
  t.equal((await stranger.get('/app/', { ...SCRIPT, ...FORGED })).status, 401)
}
