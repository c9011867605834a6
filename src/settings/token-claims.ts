import { OPENID_SCOPES } from './openid-resources.ts'
import type { Config } from './schema.ts'

/** A member of the data of accounts that goes into tokens. */
export interface TokenClaim {
  name: string
  /** The scope of OpenID Connect with which applications get it. */
  scope?: string
}

type Rule = [broken: boolean, line: string]

const NAME = /^[A-Za-z][\w.-]{0,63}$/
const SCOPE = /^[A-Za-z][\w.-]{0,63}$/

const WRONG_NAME = 'a name begins with a letter and has up to 64 letters, digits and . _ -'
const RESERVED = 'tokens have this claim already, or a standard gives it a meaning. Give the member another name'

/** What tokens say in our own words, or in those of the standards: data must never replace it. */
export const RESERVED_CLAIMS = [
  // RFC 7519, 7800, 8693, 8705, 9068, 9449
  'iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf', 'act', 'may_act', 'scope', 'client_id', 'active', 'typ',
  'htm', 'htu', 'ath', 'token_type',
  // OpenID Connect
  'auth_time', 'nonce', 'acr', 'amr', 'azp', 'at_hash', 'c_hash', 's_hash', 'sid', 'events', 'toe', 'txn', 'sub_id',
  'sub_jwk', 'state', 'name', 'preferred_username', 'locale', 'zoneinfo', 'email', 'email_verified', '_claim_names',
  '_claim_sources',
  // Of service tokens, and of the cookies
  'username', 'userId', 'use', 'gen', 'enrol', 'prefixed',
  // Data has no such members
  'constructor', 'prototype',
]

/** In any case: some libraries, such as that of Go, read `Sub` as `sub`. */
const isReserved = (name: string) => RESERVED_CLAIMS.some(each => each.toLowerCase() === name.toLowerCase())

/** Each is the name of a member, or `name:scope`. */
export function tokenClaimsIn (list: string[]): TokenClaim[] {
  return list.map(each => {
    const [name = '', ...scope] = each.split(':')
    return scope.length > 0 ? { name, scope: scope.join(':') } : { name }
  })
}

/** The scopes that applications can ask for, without those of resources. */
export function scopesOf ({ TOKEN_CLAIMS }: Pick<Config, 'TOKEN_CLAIMS'>): string[] {
  return [...new Set([...OPENID_SCOPES, ...tokenClaimsIn(TOKEN_CLAIMS).flatMap(({ scope }) => scope ?? [])])]
}

export function tokenClaimRules (config: Config): Rule[] {
  const all = tokenClaimsIn(config.TOKEN_CLAIMS)
  const ofResources = config.resources.flatMap(({ scopes }) => scopes.map(({ name }) => name))
  return all.flatMap(({ name, scope }, index): Rule[] => {
    const line = (problem: string) => `TOKEN_CLAIMS contains "${config.TOKEN_CLAIMS[index]}": ${problem}.`
    const isSecond = all.findIndex(other => other.name === name) < index
    if (!NAME.test(name)) return [[true, line(WRONG_NAME)]]
    if (isReserved(name)) return [[true, line(RESERVED)]]
    if (isSecond) return [[true, line('it is named twice. Remove one of them')]]
    if (scope === undefined) return []
    return [
      [!SCOPE.test(scope), line('after the colon is the name of a scope, such as profile or roles')],
      [scope === 'offline_access', line('this scope is no claim. Choose profile, or a name of your own')],
      [ofResources.includes(scope), line('the scope belongs to a resource of OPENID_RESOURCES. Choose another name')],
      [config.OPENID === 'off', line('a scope needs OPENID=on. Remove the colon and what follows')],
    ]
  })
}
