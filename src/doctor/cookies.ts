import type { Config } from '../config.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning, problem } = findingsFor('cookies')

/** Checks whether browsers will send the cookies back, and only over HTTPS. */
export function checkCookies (config: Config): Finding[] {
  const url = new URL(config.PUBLIC_URL)
  const secure = config.NODE_ENV === 'production'
  const findings: Finding[] = []
  if (url.protocol === 'https:' && !secure) {
    findings.push(warning(
      'PUBLIC_URL uses HTTPS, but cookies are not marked Secure.',
      'Set NODE_ENV=production.'
    ))
  }
  if (url.protocol === 'http:' && !isLocal(url)) {
    findings.push(problem(
      `Passwords and cookies are sent unencrypted to ${url.host}.`,
      'Put a reverse proxy with TLS in front of the service and set PUBLIC_URL to its https:// address.'
    ))
  }
  if (findings.length > 0) return findings
  return [ok(`Cookies are set for ${url.host} only${secure ? ', and are sent over HTTPS only' : ''}.`)]
}

function isLocal ({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|.+\.test|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
