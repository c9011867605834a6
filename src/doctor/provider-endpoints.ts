import { reasonOf } from '../observability/error-reason.ts'
import { ANSWER_TIMEOUT } from './finding.ts'

export interface EndpointCheck { ok: boolean, found: string, clientRejected?: boolean }

/** Sends the request that a browser is redirected to. */
export async function requestAuthorization (url: URL | string): Promise<EndpointCheck> {
  try {
    const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
    return { ok: status < 400, found: `responds with status ${status}` }
  } catch (error) {
    return { ok: false, found: `cannot be reached: ${reasonOf(error)}` }
  }
}

/** The token endpoint got an invalid code. If it rejects only the code, it has accepted the client id and secret. */
export function checkOfClient (error: string): EndpointCheck {
  return { ok: !/client/.test(error), found: `rejects the client: ${error}`, clientRejected: true }
}
