import { existsSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { labelOf, lastFirst } from '../../../src/providers/configured.ts'

for (const [url, fallback, name, icon] of [
  ['https://accounts.google.com/o/oauth2/v2/auth', 'Provider A', 'Google', 'google'],
  ['https://accounts.google.com', 'work', 'Google', 'google'],
  ['https://github.com/login/oauth/authorize', 'Provider B', 'GitHub', 'github'],
  ['https://gitlab.com', 'x', 'GitLab', 'gitlab'],
  ['https://git.example.com', 'gitlab', 'GitLab', 'gitlab'],
  ['https://login.microsoftonline.com/9f1c/v2.0', 'x', 'Microsoft', 'microsoft'],
  ['https://appleid.apple.com', 'x', 'Apple', 'apple'],
  ['https://dev-1.okta.com', 'x', 'Okta', 'okta'],
  ['https://tenant.eu.auth0.com/', 'x', 'Auth0', 'auth0'],
  ['https://id.example.com/realms/main', 'x', 'Keycloak', 'keycloak'],
  ['https://id.example.com/auth/realms/main', 'x', 'Keycloak', 'keycloak'],
  ['https://id.example.com', 'x', 'id.example.com', 'other'],
  ['https://gitlab.com.evil.example', 'x', 'gitlab.com.evil.example', 'other'],
  ['http://127.0.0.1:3000/auth', 'Provider A', 'Provider A', 'other'],
  ['http://127.0.0.1:3000/auth', 'mooncrumb', 'Mooncrumb', 'mooncrumb'],
  ['http://keycloak:8080/login', 'Provider A', 'Provider A', 'other'],
] as const) {
  t.test(`${url}, ${fallback}: ${name}`, async t => {
    t.strictSame(labelOf({ url, fallback, name: '' }), { name, icon })
    t.strictSame(labelOf({ url, fallback, name: 'Own name' }), { name: 'Own name', icon })
    const file = `pages/providers/${icon}.svg`
    t.ok(existsSync(file), file)
    t.ok(statSync(file).size < 600, 'small')
    t.notMatch(readFileSync(file, 'utf8'), /<script|href|on\w+=/)
  })
}

t.test('the name of a provider at an address of its own finds its icon', async t => {
  const at = { url: 'https://id.example.com', fallback: 'Provider A' }
  t.strictSame(labelOf({ ...at, name: 'Keycloak' }), { name: 'Keycloak', icon: 'keycloak' })
  t.strictSame(labelOf({ ...at, name: 'Our Keycloak' }), { name: 'Our Keycloak', icon: 'other' })
  t.strictSame(labelOf({ ...at, url: 'https://gitlab.com', name: 'GitHub' }), { name: 'GitHub', icon: 'gitlab' })
})

t.test('lastFirst: one that is configured, once; otherwise the order of the settings', async t => {
  const providers = ['a', 'b', 'c'].map(path => ({ key: path, path, name: path, icon: 'other' }))
  const order = (last?: string) => lastFirst(providers, last).map(({ path, isLast }) => isLast ? `${path}!` : path)
  t.strictSame(order(), ['a', 'b', 'c'])
  t.strictSame(order('b'), ['b!', 'a', 'c'])
  t.strictSame(order('nobody'), ['a', 'b', 'c'])
})
