import type { Deed, Exchange, Recorder } from './history.ts'
import type { Random } from './random.ts'
import { createVisitor, freshAddress, type Sending } from './anonymous-client.ts'
import type { Answer } from './wire.ts'

/** What all clients share: where the services are, and what is recorded. */
export interface Street {
  fronts: number[]
  recorder: Recorder
}

type Facts = Partial<Pick<Exchange, 'password' | 'newPassword' | 'target' | 'newDevice' | 'audit'>>

/** A browser that goes to any of the services, waits only so long, and records what it asked and heard. */
export function createDevice (
  { fronts, recorder }: Street,
  random: Random,
  person: string,
  cookies = new Map<string, string>()
) {
  const visitor = createVisitor(cookies)

  function session (): { family: string, token: string } | undefined {
    const payload = cookies.get('refresh_token')?.split('.')[1]
    if (!payload) return undefined
    const { sid, jti } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return { family: sid, token: jti }
  }

  async function send (what: Deed, sending: Sending, facts: Facts = {}): Promise<Answer | null> {
    const service = random.between(0, fronts.length - 1)
    const patience = random.between(1_500, 8_000)
    const address = sending.address ?? freshAddress()
    const presented = session()
    const from = recorder.now()
    const answer = await visitor.send(fronts[service] as number, { ...sending, address, patience })
    const until = recorder.now()
    const got = answer?.status === 200 && (what === 'login' || what === 'refresh') ? session() : undefined
    recorder.write({
      type: 'exchange',
      what,
      from,
      until,
      status: answer?.status ?? null,
      retryAfter: answer?.headers['retry-after'],
      service,
      person,
      address,
      family: presented?.family,
      token: presented?.token,
      newFamily: got?.family,
      newToken: got?.token,
      ...facts,
    })
    return answer
  }

  return {
    cookies,
    session,
    send,

    /** As a page does: first the token, then the request that carries it. */
    async sendGuarded (what: Deed, sending: Sending, facts?: Facts): Promise<Answer | null> {
      const issued = await send('csrf', { method: 'GET', path: '/api/csrf-token' })
      if (issued?.status !== 200) return null
      return send(what, { ...sending, headers: { 'x-csrf-token': JSON.parse(issued.body).csrfToken } }, facts)
    },

    /** The same cookies, in the hands of a thief or out of a backup. */
    copy: () => createDevice({ fronts, recorder }, random, person, new Map(cookies)),
  }
}

export type Device = ReturnType<typeof createDevice>
