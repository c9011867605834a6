// docs/openid.md, "What to enter into a product": the values are those that the service announces.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { build } from '../../support/build.ts'

const ISSUER = 'https://auth.example.com'
const [, table = ''] = readFileSync('docs/openid.md', 'utf8').split('## What to enter into a product')
const rows = new Map([...table.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].map(([, field = '', value = '']) =>
  [field, value]))

/** The row whose field begins so. */
function valueOf (beginning: string): string {
  const [, value = ''] = [...rows].find(([field]) => field.startsWith(beginning)) ?? []
  return value
}

t.test('docs/openid.md: what to enter into a product', async t => {
  const { app } = await build(t, { settings: { OPENID: 'on', PUBLIC_URL: ISSUER } })
  const discovery = (await app.inject('/.well-known/openid-configuration')).json()

  for (const [field, name] of [
    ['Issuer', 'issuer'],
    ['Authorization', 'authorization_endpoint'],
    ['Token URL', 'token_endpoint'],
    ['Userinfo', 'userinfo_endpoint'],
    ['JWKS', 'jwks_uri'],
    ['Logout', 'end_session_endpoint'],
    ['Introspection', 'introspection_endpoint'],
    ['Revocation', 'revocation_endpoint'],
    ['Device', 'device_authorization_endpoint'],
    ['Pushed', 'pushed_authorization_request_endpoint'],
  ] as const) t.match(valueOf(field), `\`${discovery[name]}\``, name)
  for (const [field, name] of [
    ['Response type', 'response_types_supported'],
    ['PKCE', 'code_challenge_methods_supported'],
    ['Client authentication', 'token_endpoint_auth_methods_supported'],
    ['Signing algorithm', 'id_token_signing_alg_values_supported'],
  ] as const) for (const each of discovery[name]) t.match(valueOf(field), `\`${each}\``, name)
  for (const scope of discovery.scopes_supported) t.match(valueOf('Scopes'), scope)

  const printed = ['User id', 'User name', 'Display name', 'Email', 'Language', 'Second factor', 'Session id']
    .flatMap(field => valueOf(field).match(/(?<=`)[a-z_]+(?=`)/g) ?? [])
    .filter(name => name !== 'mfa')
  t.equal(printed.length, 9)
  for (const claim of printed) t.ok(discovery.claims_supported.includes(claim), claim)
})
