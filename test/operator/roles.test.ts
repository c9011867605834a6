// What each role may do: every route of the listener with every role, and with keys of every scope.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { RIGHTS, ROLE_NAMES, ROLES, type Right, type Role } from '../../src/operators/roles.ts'
import { SCOPES } from '../../src/operators/scopes.ts'
import { createUser, hashOf, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { buildOperator } from '../support/operator.ts'
import { signInAs } from '../support/operator-roles.ts'
import { API, SESSION } from '../support/operator-session.ts'

/** The right that each route needs. A route that is missing here fails the first test. */
const NEEDED: Record<string, Right> = {
  'DELETE /apps/:id': 'apps:write',
  'DELETE /keys/:name': 'keys:write',
  'DELETE /limits': 'limits:write',
  'DELETE /users/:id': 'users:delete',
  'DELETE /webhooks/:id': 'webhooks:write',
  'GET /apps': 'apps:read',
  'GET /apps/:id': 'apps:read',
  'GET /apps/registered': 'apps:read',
  'GET /audit': 'audit:read',
  'GET /audit/verify': 'audit:read',
  'GET /events': 'events:read',
  'GET /keys': 'keys:read',
  'GET /limits': 'limits:read',
  'GET /mails': 'mails:read',
  'GET /operators': 'operators:read',
  'GET /overview': 'overview:read',
  'GET /signing-keys': 'keys:read',
  'GET /users': 'users:read',
  'GET /users/:id': 'users:read',
  'GET /users/:id/data': 'users:read',
  'GET /users/ids': 'users:read',
  'GET /webhooks': 'webhooks:read',
  'GET /webhooks/:id': 'webhooks:read',
  'GET /webhooks/:id/deliveries': 'webhooks:read',
  'PATCH /apps/:id': 'apps:write',
  'PATCH /users/:id': 'users:write',
  'PATCH /webhooks/:id': 'webhooks:write',
  'POST /apps': 'apps:write',
  'POST /apps/:id/rotate-secret': 'apps:write',
  'POST /users': 'users:write',
  'POST /users/:id/disable': 'users:write',
  'POST /users/:id/enable': 'users:write',
  'POST /users/:id/end-sessions': 'users:write',
  'POST /users/:id/expire-password': 'users:write',
  'POST /users/:id/export': 'users:export',
  'POST /users/:id/reset-factors': 'users:write',
  'POST /users/:id/send-reset-mail': 'users:write',
  'POST /users/:id/verify-email': 'users:email',
  'POST /users/bulk/delete': 'users:bulk',
  'POST /users/bulk/disable': 'users:bulk',
  'POST /users/bulk/enable': 'users:bulk',
  'POST /users/bulk/end-sessions': 'users:bulk',
  'POST /users/bulk/expire-password': 'users:bulk',
  'POST /webhooks': 'webhooks:write',
  'POST /webhooks/:id/deliveries/:delivery/resend': 'webhooks:write',
  'POST /webhooks/:id/pause': 'webhooks:write',
  'POST /webhooks/:id/resume': 'webhooks:write',
  'POST /webhooks/:id/rotate': 'webhooks:write',
  'PUT /users/:id/data': 'users:data',
}

/** Pages have nothing private, and the session is one's own: everyone may open them. */
const isForAll = (route: string) =>
  !route.includes(` ${API}/`) || route.includes(` ${SESSION}`) || route.endsWith('/openapi.json')

const service = await buildOperator(t, { settings: NO_LIMITS })
const { addKey, app, operator, operatorRoutes, owner } = service
const routes = operatorRoutes.filter(route => !isForAll(route)).map(route => route.replace(API, ''))

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** Of things that do not exist: a request that is allowed gets another refusal than 403. */
function requestOf (route: string) {
  const [method = '', path = ''] = route.split(' ')
  const url = path
    .replace('/users/:id', '/users/999999999999')
    .replace(/:(id|delivery)/g, UNKNOWN)
    .replace(':name', 'no-such-key')
  return { method, url }
}

t.test('every route of the listener has a right', async t => {
  t.strictSame(routes.toSorted(), Object.keys(NEEDED).toSorted())
})

for (const role of ROLE_NAMES) {
  t.test(`${role}: every route that the role has no right to is refused (403), every other one is not`, async t => {
    const { send } = await signInAs(service, role)
    const mayDo: Right[] = ROLES[role]
    for (const route of routes) {
      const { method, url } = requestOf(route)
      const answer = await send(method, url)
      const right = NEEDED[route] as Right
      if (mayDo.includes(right)) t.not(answer.statusCode, 403, route)
      else {
        t.equal(answer.statusCode, 403, route)
        t.match(answer.json(), { error: 'Not allowed for this role', message: new RegExp(`${role}.*${right}`) }, route)
      }
    }
  })
}

for (const scope of SCOPES) {
  t.test(`a key with ${scope}: every route with another scope is refused (403), every other one is not`, async t => {
    const headers = { authorization: `Bearer ${await addKey(`only-${scope.replace(':', '-')}`, [scope])}` }
    for (const route of routes) {
      const { method, url } = requestOf(route)
      const { statusCode } = await operator.inject({ method: method as 'GET', url: `${API}${url}`, headers })
      if (RIGHTS[NEEDED[route] as Right].key === scope) t.not(statusCode, 403, route)
      else t.equal(statusCode, 403, route)
    }
  })
}

t.test('the table of docs/operators.md says what the code does', async t => {
  const cell = (role: Role, right: Right) => (ROLES[role] as Right[]).includes(right) ? 'yes' : ''
  const rows = Object.entries(RIGHTS).map(([right, { words, key }]) => [
    words, `\`${right}\``, ...ROLE_NAMES.map(role => cell(role, right as Right)), key ? `\`${key}\`` : 'none',
  ])
  const heading = ['What', 'Right', ...ROLE_NAMES.map(role => role[0]?.toUpperCase() + role.slice(1)), 'Scope of a key']
  const lines = [heading, heading.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`.replace(/ {2,}/g, ' '))
  const table = lines.join('\n').replaceAll('| --- ', '|---').replaceAll('--- |', '---|')
  t.ok(readFileSync('docs/operators.md', 'utf8').includes(table), `docs/operators.md must have this table:\n${table}`)
})

t.test('support: changes a name, and neither the address nor what applications go by (403)', async t => {
  const { send } = await signInAs(service, 'support')
  const { id } = await createUser(owner)
  const change = (body: object) => send('PATCH', `/users/${id}`, body)
  t.equal((await change({ name: 'Ada' })).statusCode, 200)
  for (const [body, right] of [
    [{ email: 'mine@example.org' }, 'users:email'], [{ data: {} }, 'users:data'],
    [{ externalId: 'customer-of-another' }, 'users:data'], [{ externalId: null }, 'users:data'],
  ] as const) {
    const answer = await change({ name: 'Eve', ...body })
    t.match(answer, { statusCode: 403 })
    t.match(answer.json(), { error: 'Not allowed for this role', message: new RegExp(right) })
  }
  t.equal((await owner.query('SELECT name FROM users WHERE id = $1', [id])).rows[0].name, 'Ada')
})

// Otherwise the support could sign in to the account of a person who confirms the address, or comes with a provider.
t.test('support: invites, and creates no account with a password that it knows, nor for an id of applications (403)',
  async t => {
    const { send } = await signInAs(service, 'support')
    const victim = { username: 'victim', email: 'victim@example.com' }
    const passwordHash = await hashOf(PASSWORD)
    for (const [body, right] of [
      [{ password: PASSWORD }, 'users:password'], [{ password: PASSWORD, emailVerified: true }, 'users:password'],
      [{ passwordHash }, 'users:password'],
      [{ passwordHash: passwordHash.replace(/\$\d\d\$/, '$15$') }, 'users:password'],
      [{ emailVerified: true }, 'users:password'], [{ externalId: 'customer-of-another' }, 'users:data'],
    ] as const) {
      const answer = await send('POST', '/users', { ...victim, ...body })
      t.match(answer.json(), { error: 'Not allowed for this role', message: new RegExp(right) }, JSON.stringify(body))
    }
    t.equal((await owner.query("SELECT FROM users WHERE username = 'victim'")).rowCount, 0)
    t.equal((await owner.query('SELECT FROM imported_hashes')).rowCount, 0, 'wrong passwords get no slower')
    t.equal((await send('POST', '/users', victim)).statusCode, 201)
    const administrator = await signInAs(service, 'administrator')
    const other = { username: 'other', email: 'other@example.com', password: PASSWORD, externalId: 'customer-1' }
    t.equal((await administrator.send('POST', '/users', other)).statusCode, 201)
  })

t.test('support: no change of an operator, suspended or not, and none of its own account (403)', async t => {
  const support = await signInAs(service, 'support')
  const target = await signInAs(service, 'viewer')
  const waiting = await createUser(owner)
  await owner.query('INSERT INTO suspended_operators (user_id) VALUES ($1)', [waiting.id])
  const changes = routes.filter(route =>
    /^POST \/users\/:id\//.test(route) && (ROLES.support as Right[]).includes(NEEDED[route] as Right))
  t.equal(changes.length, 7)
  for (const { id } of [target, waiting, support]) {
    for (const route of changes) {
      const answer = await support.send('POST', route.replace('POST ', '').replace(':id', id))
      t.match(answer, { statusCode: 403 }, route)
      t.match(answer.json(), { error: 'Account of an operator' }, route)
    }
  }
  const limits = await support.send('DELETE', `/limits?account=${target.username}`)
  t.match(limits.json(), { error: 'Account of an operator' })
  t.equal((await target.browser.get(SESSION)).statusCode, 200)
})

t.test('support: a change of another account is recorded with the role (200)', async t => {
  const support = await signInAs(service, 'support')
  const { id } = await createUser(owner)
  t.equal((await support.send('POST', `/users/${id}/disable`)).statusCode, 200)
  const { rows } = await owner.query('SELECT what, actor FROM auth_events WHERE user_id = $1', [id])
  t.strictSame(rows, [{ what: 'account_disabled', actor: `support ${support.username}` }])
  t.equal((await support.send('DELETE', `/users/${id}`)).statusCode, 403)
  t.ok(await app.users.findById(id))
})

t.test('a change of the role concerns open sessions at once', async t => {
  const { id, browser, send } = await signInAs(service, 'administrator')
  const other = await createUser(owner)
  const attempt = async (action: string) => (await send('POST', `/users/${other.id}/${action}`)).statusCode
  t.equal(await attempt('disable'), 200)
  await app.manageOperators.changeRole(id, 'viewer')
  t.match((await browser.get(SESSION)).json(), { role: 'viewer', rights: ROLES.viewer })
  t.equal(await attempt('enable'), 403)
  t.ok((await app.users.findById(other.id))?.disabledAt)
  await app.manageOperators.changeRole(id, 'support')
  t.equal(await attempt('enable'), 200)
})

t.test('the right is checked before the proof of identity: nothing is asked in vain (403)', async t => {
  const { id, send } = await signInAs(service, 'viewer')
  await owner.query("UPDATE operator_sessions SET proved_at = now() - interval '1 hour' WHERE user_id = $1", [id])
  t.match((await send('POST', `/users/${id}/disable`)).json(), { error: 'Not allowed for this role' })
})
