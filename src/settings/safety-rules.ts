import { safeNext } from '../../pages/parts/safe-next.js'
import { parseRedisAddress } from './redis-address.ts'
import { isColor } from './brand-color.ts'
import { hookRules } from './hook-rules.ts'
import { hostRules } from './host-rules.ts'
import { openIdRules } from './open-id-rules.ts'
import { resourceRules } from './openid-resource-rules.ts'
import { providerRules } from './provider-rules.ts'
import type { Config } from './schema.ts'
import { tokenClaimRules } from './token-claims.ts'
import { isTrustable, trustsEveryClient } from './trusted-proxies.ts'
import { isHttp, isHttps, isLocalPath, isLoopback, isOrigin } from './urls.ts'

/** One line for each setting that is missing, unsafe or of no use: what is wrong and what to do. */
export function safetyProblems (config: Config): string[] {
  const production = config.NODE_ENV === 'production'
  const trustable = config.TRUST_PROXY.every(isTrustable)
  const rules: Array<[broken: boolean, line: string]> = [
    [
      !config.DATABASE_URL,
      'DATABASE_URL is missing: set a PostgreSQL connection string, such as ' +
      'postgres://gatehouse:…@db:5432/gatehouse.',
    ],
    [
      !isLongAndVaried(config.JWT_SECRET),
      'JWT_SECRET must be at least 64 random characters: create one with `openssl rand -base64 64 | tr -d "\\n"`.',
    ],
    [
      config.JWT_SECRET_PREVIOUS !== undefined && !isLongAndVaried(config.JWT_SECRET_PREVIOUS),
      'JWT_SECRET_PREVIOUS must be at least 64 random characters: remove it unless you are changing the secret.',
    ],
    [
      config.JWT_SECRET_PREVIOUS !== undefined && config.JWT_SECRET_PREVIOUS === config.JWT_SECRET,
      'JWT_SECRET_PREVIOUS is the same as JWT_SECRET: remove it unless you are changing the secret.',
    ],
    [
      !trustable,
      'TRUST_PROXY must list addresses or CIDR ranges, such as 10.0.0.0/8: a number or `true` would trust ' +
      'forged addresses.',
    ],
    [
      trustable && trustsEveryClient(config.TRUST_PROXY),
      'TRUST_PROXY covers every client, so that each could forge its address: list only your reverse proxies, ' +
      'such as 10.0.0.0/8.',
    ],
    [
      production && !config.REDIS_URL,
      'REDIS_URL is missing: without Redis each instance counts attempts separately.',
    ],
    [
      Boolean(config.REDIS_URL) && !parseRedisAddress(config.REDIS_URL),
      'REDIS_URL is not valid: write redis://user:password@host:port, redis-cluster://host:port,host:port or ' +
      'redis-sentinel://host:port,host:port/name, and percent-encode special characters in the password.',
    ],
    [production && !config.SMTP_URL, 'SMTP_URL is missing: registration and password reset send mail.'],
    [
      production && !isHttps(config.PUBLIC_URL),
      'PUBLIC_URL must be the https:// URL that browsers use: cookies and links depend on it.',
    ],
    [
      !production && !isHttp(config.PUBLIC_URL),
      'PUBLIC_URL must be a complete URL, such as http://localhost:3000.',
    ],
    [
      isHttp(config.PUBLIC_URL) && !isOrigin(config.PUBLIC_URL),
      'PUBLIC_URL must be only a scheme and a host, such as https://auth.example.com: with a path, query or ' +
      'fragment, the links in mails would lead nowhere.',
    ],
    ...hostRules(config),
    [
      config.OPERATOR_URL !== '' && !isOrigin(config.OPERATOR_URL),
      'OPERATOR_URL must be only a scheme and a host, such as https://operators.example.com.',
    ],
    [
      production && isOrigin(config.OPERATOR_URL) && !isHttps(config.OPERATOR_URL) && !isLoopback(config.OPERATOR_URL),
      'OPERATOR_URL must be an https:// URL, or http://localhost for a tunnel: operators sign in there.',
    ],
    [
      safeNext(config.LOGIN_REDIRECT, '', config.APP_ORIGINS) === '',
      'LOGIN_REDIRECT must be a path on this host other than /login, such as /dashboard, or a URL of one of ' +
      'APP_ORIGINS: users are sent there after sign-in.',
    ],
    [
      config.OPENID === 'on' && config.SIGNING_ALG !== 'ES256',
      'SIGNING_ALG must be ES256 with OPENID=on: many clients verify nothing else. Remove the setting.',
    ],
    [
      config.OPENID === 'off' && config.OPENID_REGISTRATION !== 'off',
      'OPENID_REGISTRATION needs OPENID=on: applications register themselves with the OpenID provider.',
    ],
    [
      production && config.OPENID_DOCUMENTS_PRIVATE === 'allow',
      'OPENID_DOCUMENTS_PRIVATE must be refuse in production: anyone could make the service read addresses in your ' +
      'network.',
    ],
    ...providerRules('PROVIDER_A', config),
    ...providerRules('PROVIDER_B', config),
    ...openIdRules(config),
    ...resourceRules(config),
    ...hookRules(config),
    ...tokenClaimRules(config),
    [
      config.BREACHED_PASSWORDS_URL !== undefined &&
        !(production ? isHttps : isHttp)(config.BREACHED_PASSWORDS_URL),
      'BREACHED_PASSWORDS_URL must be an https:// URL, such as https://api.pwnedpasswords.com/range/.',
    ],
    [!isColor(config.BRAND_COLOR), 'BRAND_COLOR must be a colour of six hexadecimal digits, such as #2f5bea.'],
    [
      config.BRAND_LOGO !== undefined && !isLocalPath(config.BRAND_LOGO) && !isHttps(config.BRAND_LOGO),
      'BRAND_LOGO must be a path on this host, such as /logo.svg, or an https:// URL.',
    ],
  ]
  return rules.filter(([broken]) => broken).map(([, line]) => line)
}

function isLongAndVaried (secret = ''): boolean {
  return secret.length >= 64 && new Set(secret).size >= 10
}
