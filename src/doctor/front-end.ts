import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { ANSWER_TIMEOUT, findingsFor, type Finding } from './finding.ts'

const { ok, warning, problem } = findingsFor('front end')

/** Sends a request to the public address, as browsers do. */
export async function checkFrontEnd ({ PUBLIC_URL }: Config): Promise<Finding[]> {
  const address = new URL('/health/live', PUBLIC_URL)
  try {
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
    if (!response.ok) {
      return [problem(
        `${address.href} responds with status ${response.status}.`,
        'Check that PUBLIC_URL is the address of the service.'
      )]
    }
    if (address.protocol === 'https:' && !response.headers.has('strict-transport-security')) {
      return [warning(
        `The response from ${address.origin} has no Strict-Transport-Security header.`,
        'Configure the reverse proxy to pass on the headers of the service.'
      )]
    }
    return [ok(`${address.origin} responds.`)]
  } catch (error) {
    return [warning(
      `${address.origin} cannot be reached from this machine: ${reasonOf(error)}.`,
      'If the service is already running, check the host name, the certificate and the reverse proxy.'
    )]
  }
}
