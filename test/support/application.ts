import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'
import { secrets } from './build.ts'
import { startReceiver, type Received } from './receiver.ts'

export const HOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`
secrets.add(HOOK_SECRET)

/** A body to answer with, or what to do with the response. */
type Answer = object | ((response: ServerResponse, received: Received) => unknown)

export function sendJson (response: ServerResponse, body: unknown) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** An application that REGISTRATION_HOOK and SIGN_IN_HOOK ask. It verifies each signature. */
export async function startApplication (t: Pick<Test, 'teardown'>) {
  const application = {
    answer: { allow: true } as Answer,
    asked: [] as Array<{ type: string, data: Record<string, any> }>,
    bodies: [] as string[],
    settings: (away: 'allow' | 'refuse' = 'refuse', url = receiver.url) => ({
      WEBHOOK_PRIVATE: 'allow',
      REGISTRATION_HOOK: url,
      REGISTRATION_HOOK_AWAY: away,
      SIGN_IN_HOOK: url,
      SIGN_IN_HOOK_AWAY: away,
      HOOK_SECRET,
    }),
    /** Forgets what was asked. */
    reset (answer: Answer = { allow: true }) {
      application.answer = answer
      application.asked.length = application.bodies.length = 0
    },
  }
  const receiver = await startReceiver(t, (received, response) => {
    application.asked.push(new Webhook(HOOK_SECRET).verify(received.body, received.headers) as never)
    application.bodies.push(received.body)
    const { answer } = application
    if (typeof answer === 'function') answer(response, received)
    else sendJson(response, answer)
  })
  return application
}
