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
  if (config.COOKIE_DOMAIN && config.APP_ORIGINS.length === 0) {
    findings.push(warning(
      `The access token is sent to all hosts under ${config.COOKIE_DOMAIN}, but no app is allowed to use it.`,
      'Set APP_ORIGINS to the origins of your apps, or remove COOKIE_DOMAIN.'
    ))
  }
  if (findings.length > 0) return findings
  const overHttps = secure ? ', and are sent over HTTPS only' : ''
  if (config.COOKIE_DOMAIN) {
    const hosts = `all hosts under ${config.COOKIE_DOMAIN} get the access token`
    return [ok(`Cookies are set for ${url.host}${overHttps}; ${hosts}.`)]
  }
  return [ok(`Cookies are set for ${url.host} only${overHttps}.`)]
}

function isLocal ({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|.+\.test|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
