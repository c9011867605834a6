import type { FastifyInstance } from 'fastify'
import { generateSync } from 'otplib'
import { createEncryption } from '../src/secrets/encryption.ts'
import { authenticatorPage } from './authenticator-page.ts'
import { DEMO_USER } from './seed.ts'
import { pagePolicy } from './service-page.ts'

export const AUTHENTICATOR_PATH = '/gatehouse/demo/authenticator'

export const DEMO_OPERATOR = {
  username: 'operator',
  password: DEMO_USER.password,
  email: 'operator@example.com',
  name: 'Demo operator',
}

/** As the events record who made the account an operator. */
const BY = 'demo'
const STEP_MS = 30_000

/** By name, because passkeys need a domain. */
export const operatorPage = ({ config: { OPERATOR_URL, OPERATOR_PORT } }: FastifyInstance) =>
  `${OPERATOR_URL || `http://localhost:${OPERATOR_PORT}`}/operator/`

/** An operator who can sign in at once, and a page with the code that an authenticator app would show. */
export function extendWithOperator (app: FastifyInstance) {
  app.addHook('onReady', () => addOperator(app))
  app.register(async app => {
    app.get(AUTHENTICATOR_PATH, async (_request, reply) => reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy() })
      .send(authenticatorPage(DEMO_OPERATOR.username, operatorPage(app), await currentCode(app))))
  })
}

/** Adds only what is missing: a second start changes nothing. */
async function addOperator (app: FastifyInstance) {
  const { administration, database, factors, manageOperators, passwords, totp } = app
  const { password, ...user } = DEMO_OPERATOR
  const id = (await findOperator(app))?.id ??
    await administration.add({ ...user, passwordHash: await passwords.hash(password) }, { verified: true }, BY)
  const key = await totp.begin({ id, username: user.username })
  // With the code before the present one, which can then be used for the first sign-in.
  const now = Date.now()
  const code = key && generateSync({ secret: key.secret, epoch: Math.floor((now - STEP_MS) / 1_000) })
  if (code) {
    await database.transact(async client => {
      await factors.beginChange(client, id)
      await totp.confirm(client, id, code, now)
    })
  }
  await manageOperators.add(id, 'administrator', BY)
}

async function findOperator ({ users }: FastifyInstance) {
  return await users.findByLogin(DEMO_OPERATOR.username) ?? await users.findByLogin(DEMO_OPERATOR.email)
}

/** Undefined if the operator has no authenticator app any more. */
async function currentCode (app: FastifyInstance): Promise<string | undefined> {
  const id = (await findOperator(app))?.id
  const stored = id && await app.totpStore.find(id)
  const opened = stored && await createEncryption('totp', app.config).decrypt(stored.encrypted, id)
  return opened ? generateSync({ secret: opened.text }) : undefined
}
