import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createUser, PASSWORD } from '../../support/browser.ts'
import { build, buildShared } from '../../support/build.ts'
import { countChecks, guess, login, newAddress, statusesOf } from '../../support/password-guesses.ts'
import { eventually } from '../../support/patience.ts'

// Most of these wait for eight seconds.
t.jobs = 3

const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)))

t.test('POST /login: right and wrong passwords at once, right ones before the fifth failure (200)', async t => {
  const client = { remoteAddress: newAddress() }
  const { app, owner } = await buildShared(t)
  const users = await Promise.all(Array.from({ length: 20 }, () => createUser(owner)))
  const checks = countChecks(app)
  const statuses = await statusesOf(users.map(({ username }, index) =>
    index % 5 === 4 ? guess(app, username, client) : login(app, username, PASSWORD, client)))
  t.strictSame(statuses, { 200: 16, 401: 4 })
  t.equal(checks(), 20)
})

t.test('POST /login: sixth request while five are undecided (503)', async t => {
  const client = { remoteAddress: newAddress() }
  const { app, owner } = await build(t)
  const { username } = await createUser(owner)
  const { verify } = app.passwords
  const decided = Promise.withResolvers<boolean>()
  app.passwords.verify = () => decided.promise
  const stuck = Array.from({ length: 5 }, async () => login(app, username, PASSWORD, client))
  const sixth = await login(app, username, PASSWORD, client)
  t.match(sixth, { statusCode: 503, headers: { 'retry-after': '5' } })
  decided.resolve(true)
  t.strictSame(await statusesOf(stuck), { 200: 5 })
  app.passwords.verify = verify
  t.equal((await login(app, username, PASSWORD, client)).statusCode, 200)
})

t.test('POST /login: a client that closes the connection while it waits is not checked', async t => {
  const { app, log, owner } = await build(t)
  const { username } = await createUser(owner)
  const { verify } = app.passwords
  const decided = Promise.withResolvers<boolean>()
  let checks = 0
  app.passwords.verify = () => {
    checks++
    return decided.promise
  }
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/login`
  // Without a connection, which the service would close on a machine that is too busy.
  const stuck = Array.from({ length: 5 }, async () => login(app, username, PASSWORD, { remoteAddress: '127.0.0.1' }))
  await eventually(() => checks, count => count === 5)
  const leaving = new AbortController()
  const gone = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
    signal: leaving.signal,
  })
  await eventually(() => connectionsOf(app), count => count >= 1)
  leaving.abort()
  await t.rejects(gone)
  await eventually(() => log.lines.find(({ msg }) => /overloaded/.test(msg)), line => line !== undefined)
  t.match(log.lines.find(({ msg }) => /overloaded/.test(msg)), {
    refused: { 'logins waited too long for others of their client': 1 },
  }, 'one line for all that were refused')
  decided.resolve(true)
  t.strictSame(await statusesOf(stuck), { 200: 5 })
  t.equal(checks, 5)
  app.passwords.verify = verify
})
