import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { MAILBOX_PATH } from './mailbox.ts'
import { DEMO_USER } from './seed.ts'

/** What a newcomer reads first. */
export function banner (app: FastifyInstance): string {
  const { port } = app.server.address() as AddressInfo
  const url = `http://localhost:${port}`
  const rows = [
    ['Sign in', `${url}/login`],
    ['Demo user', `${DEMO_USER.username} / ${DEMO_USER.password}`],
    ['Mailbox', `${url}${MAILBOX_PATH}`],
    ['API', `${url}/docs`],
    ['Health', `${url}/health`],
  ]
  return [
    '',
    `  Gatehouse is open at ${url}`,
    '',
    ...rows.map(([what, where]) => `  ${what?.padEnd(12)}${where}`),
    '',
    '  For trying out: an embedded PostgreSQL with its data in .data/, counters in memory,',
    '  and two identity providers of its own, so that everything works offline.',
    '  Ctrl-C stops everything.',
    '',
  ].join('\n')
}
