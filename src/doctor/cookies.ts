import type { Config } from '../config.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning, problem } = about('cookies')

/** Whether browsers will send them back to where they are needed. */
export function checkCookies (config: Config): Finding[] {
  const url = new URL(config.PUBLIC_URL)
  const secure = config.NODE_ENV === 'production'
  const findings = [
    url.protocol === 'https:' && !secure && warning('people come over HTTPS, and cookies are not marked Secure.', 'Set NODE_ENV=production.'),
    url.protocol === 'http:' && !isLocal(url) && problem(`passwords and cookies travel in the open to ${url.host}.`, 'Put a front end with TLS before it, and set PUBLIC_URL to its https:// address.'),
    url.pathname !== '/' && problem(`PUBLIC_URL has the path ${url.pathname}, and the service answers at the top of its host only.`, 'Give it a host of its own, such as https://auth.example.com.'),
  ].filter(finding => finding !== false)
  return findings.length > 0 ? findings : [ok(`for ${url.host} alone${secure ? ', and over HTTPS only' : ''}.`)]
}

function isLocal ({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|.+\.test|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
