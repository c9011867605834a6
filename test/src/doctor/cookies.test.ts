import t from 'tap'
import { loadConfig } from '../../../src/config.ts'
import { checkCookies } from '../../../src/doctor/cookies.ts'
import { JWT_SECRET } from '../../support/build.ts'
import { TWO_HOSTS } from '../../support/two-hosts.ts'

const linesFor = (settings: Record<string, string>) => {
  const config = loadConfig({}, { ...TWO_HOSTS, JWT_SECRET, DATABASE_URL: 'postgres://db/gatehouse', ...settings })
  return checkCookies(config).map(({ state, message }) => `${state}: ${message}`)
}

t.test('doctor: which hosts get the cookies', async t => {
  t.strictSame(linesFor({ COOKIE_DOMAIN: '' }), [
    'ok: Cookies are set for auth.example.com only, and are sent over HTTPS only.',
  ])
  t.strictSame(linesFor({}), [
    'ok: Cookies are set for auth.example.com, and are sent over HTTPS only; all hosts under example.com get the ' +
    'access token.',
  ])
  t.strictSame(linesFor({ APP_ORIGINS: '' }), [
    'warning: The access token is sent to all hosts under example.com, but no app is allowed to use it.',
  ])
})
