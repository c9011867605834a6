import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('front end')
const ANSWER_TIMEOUT = 3_000

/** The way that browsers come, as far as it can be seen from here. */
export async function checkFrontEnd ({ PUBLIC_URL }: Config): Promise<Finding[]> {
  const address = new URL('/health/live', PUBLIC_URL)
  try {
    const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
    if (!answer.ok) return [problem(`${address.href} answers with ${answer.status}.`, 'Check that PUBLIC_URL leads to the service.')]
    if (address.protocol === 'https:' && !answer.headers.has('strict-transport-security')) {
      return [warning(`${address.origin} answers without Strict-Transport-Security.`, 'Let the front end pass the headers of the service on.')]
    }
    return [ok(`${address.origin} answers.`)]
  } catch (error) {
    return [warning(`${address.origin} does not answer here: ${reasonOf(error)}.`, 'Where the service runs already, check the name, the certificate and the front end.')]
  }
}
