import { deployment, notApplicable, shown, type Chapter } from '../entry.ts'

const NOTHING_ENCRYPTED = "The service encrypts nothing itself; TLS is the front end's."

export const CRYPTOGRAPHY: Chapter = {
  '11.1.1': shown('How keys live is written down', 'asvs/decisions.test.ts#section on keys: lists'),
  '11.1.2': shown('Keys and algorithms are listed', 'asvs/decisions.test.ts#section on keys: lists'),
  '11.2.1': shown(
    'Proven libraries only',
    'source.test.ts#source: no weak hash',
    'source.test.ts#package-lock.json: every package has'
  ),
  '11.2.2': shown(
    'Keys and costs can be changed',
    'secret-rotation.test.ts#JWT_SECRET rotation: users stay',
    'routes/login.test.ts#POST /login: a hash'
  ),
  '11.2.3': shown(
    '128 bits of strength or more',
    'src/config.test.ts#refused in one line',
    'src/config.test.ts#serve: production without settings'
  ),
  '11.3.1': deployment(
    'No ECB, no weak padding',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS: only versions 1.2'
  ),
  '11.3.2': deployment(
    'Approved ciphers',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS: only versions 1.2'
  ),
  '11.3.3': deployment(
    'Encrypted data is protected from change',
    NOTHING_ENCRYPTED,
    'deploy/tls.long.ts#TLS: only versions 1.2'
  ),
  '11.4.1': shown('Approved hashes only', 'source.test.ts#source: no weak hash'),
  '11.4.2': shown(
    "Passwords in a slow hash of today's cost",
    'src/config.test.ts#refused in one line',
    'plugins/credentials/passwords.test.ts#a hash of a lower cost',
    'routes/register.test.ts#POST /register → mail'
  ),
  '11.4.3': shown(
    'Hashes for signatures have 256 bits',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every',
    'source.test.ts#source: no weak hash'
  ),
  '11.4.4': notApplicable('Keys from passwords are stretched', 'No key is made from a password.'),
  '11.5.1': shown(
    'What must not be guessed has 128 random bits',
    'asvs/accounts.test.ts#links have 256 random',
    'routes/api/auth/social.test.ts#GET /api/auth/provider-a: to the provider',
    'source.test.ts#source: no Math.random'
  ),
  '11.6.1': deployment(
    'Approved algorithms make keys and signatures',
    'The service signs with HMAC-SHA-256; the only pair of keys is that of your certificate.',
    'routes/api/auth/me.test.ts#GET /api/auth/me, /verify: every'
  ),
}

export const COMMUNICATION: Chapter = {
  '12.1.1': shown(
    'TLS 1.2 and 1.3 only',
    'deploy/tls.long.ts#TLS: only versions 1.2',
    'deploy/tls.long.ts#TLS: the scan finds'
  ),
  '12.1.2': shown('Strong cipher suites only', 'deploy/tls.long.ts#TLS: only versions 1.2'),
  '12.1.3': notApplicable('Client certificates are checked', 'None are used.'),
  '12.2.1': shown(
    'TLS to every client, and nothing in the clear',
    'deploy/nginx.long.ts#plain HTTP',
    'deploy/compose.test.ts#compose.yaml: only nginx is',
    'src/config.test.ts#refused in one line'
  ),
  '12.2.2': deployment('A certificate that browsers trust', 'From your authority: see docs/deploy.md.'),
  '12.3.1': deployment(
    'TLS to PostgreSQL, Redis, mail and providers',
    'Say so in their addresses: `sslmode=verify-full`, `rediss://`, `smtps://`. Providers are asked over https. The compose file keeps the others on a network of their own.',
    'src/redis/address.test.ts#: parsed',
    'deploy/compose.test.ts#compose.yaml: only nginx is'
  ),
  '12.3.2': shown('Certificates of others are checked', 'source.test.ts#source: TLS certificates are'),
  '12.3.3': deployment(
    'TLS between the front end and the service',
    'Plain HTTP on the host or a network of their own. Put a mesh or a tunnel between them where that network is not yours.',
    'deploy/compose.test.ts#compose.yaml: only nginx is'
  ),
  '12.3.4': deployment(
    'Inside, only named authorities are trusted',
    'Give Node yours with `NODE_EXTRA_CA_CERTS`, PostgreSQL with `sslrootcert`.'
  ),
}
