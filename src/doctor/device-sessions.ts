import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { ANSWER_TIMEOUT, findingsFor, type Finding } from './finding.ts'

const { ok, warning, problem } = findingsFor('device-bound sessions')

const PATH = '/api/auth/device/proof'
const CHALLENGE = 'secure-session-challenge'

/** Whether browsers will bind sessions to devices, and keep their keys. Sends what a browser without a key would. */
export async function checkDeviceSessions ({ DEVICE_BOUND_SESSIONS, PUBLIC_URL }: Config): Promise<Finding[]> {
  if (DEVICE_BOUND_SESSIONS === 'off') return []
  const address = new URL(PATH, PUBLIC_URL)
  if (address.protocol !== 'https:') {
    return [problem(
      'DEVICE_BOUND_SESSIONS has no effect: browsers bind sessions over HTTPS only.',
      'Put a reverse proxy with TLS in front of the service and set PUBLIC_URL to its https:// address.'
    )]
  }
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT)
    const response = await fetch(address, { method: 'POST', redirect: 'manual', signal })
    return [findingOf(response, address)]
  } catch (error) {
    return [warning(
      `${address.origin} cannot be reached from this machine: ${reasonOf(error)}.`,
      'If the service is already running, check the host name, the certificate and the reverse proxy.'
    )]
  }
}

function findingOf ({ status, headers }: Response, { href, host }: URL): Finding {
  if (status === 403 && headers.has(CHALLENGE)) return ok(`Browsers that support it bind sessions of ${host}.`)
  if (status === 403) {
    return problem(
      `The response from ${href} has no ${CHALLENGE} header.`,
      'Configure the reverse proxy to pass on the headers of the service.'
    )
  }
  const advice = status === 404
    ? 'Upgrade all instances before you set DEVICE_BOUND_SESSIONS=on.'
    : 'Configure the reverse proxy to pass this path on, without limits and redirects.'
  return problem(`${href} responds with status ${status}, and browsers would forget the keys of sessions.`, advice)
}
