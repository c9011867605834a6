import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { MAILBOX_PATH } from './mailbox.ts'
import { AUTHENTICATOR_PATH, DEMO_OPERATOR, operatorPage } from './operator.ts'
import { DEMO_USER } from './seed.ts'

/** Printed after the start. */
export function banner (app: FastifyInstance, application: string): string {
  const { port } = app.server.address() as AddressInfo
  const url = `http://localhost:${port}`
  const rows = [
    ['What to try', url],
    ['Sign in', `${url}/login`],
    ['Demo user', `${DEMO_USER.username} / ${DEMO_USER.password}`],
    ['Passkey', `Sign in, then add one: ${url}/dashboard#factors`],
    ['Mailbox', `${url}${MAILBOX_PATH}`],
    ['API', `${url}/docs`],
    ['Health', `${url}/health`],
    ...app.config.OPENID === 'on' ? [[], ['Application', `${application} signs in with Gatehouse`]] : [],
    [],
    ['Operators', operatorPage(app)],
    ['Demo operator', `${DEMO_OPERATOR.username} / ${DEMO_OPERATOR.password}`],
    ['Code', `${url}${AUTHENTICATOR_PATH}`],
    ['Command line', 'In another terminal: npm run gatehouse -- user list'],
  ]
  return [
    '',
    `  Gatehouse is running at ${url}`,
    '',
    ...rows.map(([label = '', value = '']) => `  ${label.padEnd(15)}${value}`.trimEnd()),
    '',
    '  This is a demo, not for production. It includes PostgreSQL (its data is in .data/),',
    '  counters in memory, three identity providers, an application and a mailbox, and works offline.',
    '  Press Ctrl-C to stop everything.',
    '',
  ].join('\n')
}
